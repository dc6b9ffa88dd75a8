// Kernel prelude: `draw` as src/function/draw.h has it, in float and double the same numbers.
namespace vecc_kernel {

template <class T>
VECC_FN unsigned draw_word(T x) {
  return static_cast<unsigned>(select(x >= T(0), select(x < T(4294967296.0), x, T(0)), T(0)));
}

// Two words of a key, four of a counter.
template <class T>
VECC_FN T f_draw(T x0, T x1, T x2, T x3, T x4, T x5) {
  unsigned k0 = draw_word(x0);
  unsigned k1 = draw_word(x1);
  unsigned a = draw_word(x2);
  unsigned b = draw_word(x3);
  unsigned c = draw_word(x4);
  unsigned d = draw_word(x5);
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p = static_cast<unsigned long long>(a) * 0xD2511F53u;
    const unsigned long long q = static_cast<unsigned long long>(c) * 0xCD9E8D57u;
    a = static_cast<unsigned>(q >> 32) ^ b ^ k0;
    b = static_cast<unsigned>(q);
    c = static_cast<unsigned>(p >> 32) ^ d ^ k1;
    d = static_cast<unsigned>(p);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return (static_cast<T>(static_cast<int>(a >> 9)) + T(0.5)) * T(1.0 / 8388608.0);
}

}  // namespace vecc_kernel
