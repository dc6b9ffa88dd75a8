// Kernel prelude: what the printed body of a kernel calls beside functions, and what a launch hands
// to it.
// VECC_NO_ALIAS: the next loop's stores do not change what it loads.
#if VECC_CUDA
#define VECC_NO_ALIAS
#elif defined(__clang__)
#define VECC_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#else
#define VECC_NO_ALIAS _Pragma("GCC ivdep")
#endif

namespace vecc_kernel {

using size_t = decltype(sizeof(0));

// A launch, as a kernel sees it. By access: where its row 0 is, and its list of rows.
struct Arguments {
  void* const* data;
  const void* const* lists;
  const unsigned* const* words;  // by word slot
  const unsigned* offsets;       // of ragged segments
  const void* order;             // rows sorted by type, as narrow as the lists; null: 0, 1, ...
  unsigned rows;
  unsigned members;  // of fixed segments
#if !VECC_CUDA
  void* scratch;  // the thread's own: arrays that its stack has no room for
#endif
};

#if !VECC_CUDA
// The lines of a row of N entries are on their way into a cache.
template <class T, int N>
VECC_FN void fetch_row(const T* row) {
  constexpr int line = 64 / sizeof(T);
  for (int i = 0; i < N; i += line) __builtin_prefetch(row + i, 1);
  __builtin_prefetch(row + N - 1, 1);
}
// The same of a row that is only read.
template <class T, int N>
VECC_FN void fetch_member(const T* row) {
  constexpr int line = 64 / sizeof(T);
  for (int i = 0; i < N; i += line) __builtin_prefetch(row + i, 0);
}
#endif

template <class T, int N>
VECC_FN void copy(const T* __restrict__ x, T* __restrict__ y) {
  for (int i = 0; i < N; ++i) y[i] = x[i];
}

// By bits, which compilers take a vector at a time: zeros of both signs have no others.
template <class T, int N>
VECC_FN bool all_zero(const T* x) {
  using Bits = typename Real<T>::Bits;
  Bits bits = 0;
  for (int i = 0; i < N; ++i) bits |= bits_of(x[i]) & ~Real<T>::sign;
  return bits == 0;
}

// A window of R x C entries that begins at an entry of an array with rows of W entries.
template <class T, int All, int W, int R, int C>
VECC_FN void take_window(unsigned begin, const T* __restrict__ x, T* __restrict__ y) {
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) y[r * C + c] = x[begin + r * W + c];
  }
}
template <class T, int All, int W, int R, int C>
VECC_FN void put_window(unsigned begin, const T* __restrict__ x, T* __restrict__ y) {
  for (int i = 0; i < All; ++i) y[i] = T(0);
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) y[begin + r * W + c] = x[r * C + c];
  }
}

// What each entry of an element of crosssum gets: the element's entries change every `Stride`.
template <class T, int All, int N, int Stride>
VECC_FN void crosssum_share(const T* __restrict__ g, T* __restrict__ out) {
  for (int i = 0; i < N; ++i) out[i] = T(0);
  for (int i = 0; i < All; ++i) out[i / Stride % N] += g[i];
}

// The threshold that sparsemax takes off: entries above it sum to 1 over it. Michelot's iteration
// drops entries until nothing changes; member(k) of `count`. NaN has no order, and an infinite
// largest entry no finite projection: NaN, which makes all shares NaN.
template <class T, class Member>
VECC_FN T sparsemax_threshold(unsigned count, const Member& member) {
  double largest = -static_cast<double>(infinity<T>());
  for (unsigned k = 0; k < count; ++k) {
    const double x = static_cast<double>(member(k));
    if (x > largest) largest = x;
  }
  double bound = -1.0;  // of x - largest
  unsigned left = ~0u;
  for (;;) {
    double sum = 0.0;
    unsigned inside = 0;
    for (unsigned k = 0; k < count; ++k) {
      const double z = static_cast<double>(member(k)) - largest;
      if (!(z == z)) return nan<T>();
      if (z > bound) {
        sum += z;
        ++inside;
      }
    }
    if (inside == left || inside == 0) break;
    left = inside;
    bound = (sum - 1.0) / inside;
  }
  return static_cast<T>(largest + bound);
}

}  // namespace vecc_kernel
