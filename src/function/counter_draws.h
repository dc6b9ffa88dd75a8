// Random numbers that depend on nothing but a seed and what they are of: Philox 4x32-10 (Salmon,
// Moraes, Dror, Shaw 2011), keyed by the seed, the counter being position, stream and step. For the
// host, and as a part of kernels' text: so it is C++17 and includes nothing.
#pragma once

#ifdef __CUDACC_RTC__
#define VECC_DRAW_FN __device__ __forceinline__
#else
#define VECC_DRAW_FN inline
#endif

namespace vecc {

using DrawBits = unsigned long long;

/// `words`: the counter becomes its block.
VECC_DRAW_FN void make_philox_block(unsigned (&words)[4], unsigned key_0, unsigned key_1) {
  for (int round = 0; round < 10; ++round) {
    const DrawBits a = DrawBits(words[0]) * 0xD2511F53u;
    const DrawBits b = DrawBits(words[2]) * 0xCD9E8D57u;
    words[0] = unsigned(b >> 32) ^ words[1] ^ key_0;
    words[1] = unsigned(b);
    words[2] = unsigned(a >> 32) ^ words[3] ^ key_1;
    words[3] = unsigned(a);
    key_0 += 0x9E3779B9u;
    key_1 += 0xBB67AE85u;
  }
}

/// 64 of the 128 bits. `position` is below 2^56, `stream` below 2^8.
VECC_DRAW_FN DrawBits draw_bits(DrawBits seed, unsigned stream, DrawBits step, DrawBits position) {
  const DrawBits counter = position | DrawBits(stream) << 56;
  unsigned words[4] = {unsigned(counter), unsigned(counter >> 32), unsigned(step),
                       unsigned(step >> 32)};
  make_philox_block(words, unsigned(seed), unsigned(seed >> 32));
  return words[0] | DrawBits(words[1]) << 32;
}

/// 0 .. count - 1, each with the probability 1 / count to 2^-64: the upper part of the 96 bits of
/// bits * count.
VECC_DRAW_FN unsigned draw_below(DrawBits bits, unsigned count) {
  const DrawBits lower = (bits & 0xFFFFFFFFu) * count >> 32;
  return unsigned(((bits >> 32) * count + lower) >> 32);
}

}  // namespace vecc
