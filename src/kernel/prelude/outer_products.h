// Kernel prelude, CUDA only: sums of outer products by a whole block, which are gradients of
// matrices that many rows share.
#if !VECC_STEPS  // its tiles are for blocks of 256 threads
namespace vecc_kernel {

// The sum over members first .. last - 1 of g x^T, M x N; thread l gets entries l, l + kThreads,
// ... Threads form a square, in which each has a tile of entries in registers; members go through
// the block's memory, several at once. Each entry is added up in the members' order.
template <class T, int M, int N, class RowG, class RowX>
VECC_FN void sum_outer_products(unsigned first, unsigned last, const RowG& g, const RowX& x,
                                T* own) {
  constexpr int side = 16;
  static_assert(side * side == kThreads, "a thread a tile");
  constexpr int rows = (M + side - 1) / side;
  constexpr int cols = (N + side - 1) / side;
  constexpr int most = 24 * 1024 / ((rows + cols) * side * int(sizeof(T)));
  constexpr int depth = most < 32 ? most : 32;
  constexpr int chunk = 16 * 1024 / int(sizeof(T));  // entries that change hands at once
  struct Members {
    T g[depth][rows * side];
    T x[depth][cols * side];
  };
  constexpr size_t bytes = sizeof(Members) > 16 * 1024 ? sizeof(Members) : 16 * 1024;
  __shared__ __align__(16) unsigned char memory[bytes];
  Members& members = *reinterpret_cast<Members*>(memory);
  const int top = threadIdx.x / side * rows;
  const int left = threadIdx.x % side * cols;
  T sum[rows][cols];
  _Pragma("unroll") for (int i = 0; i < rows; ++i) {
    _Pragma("unroll") for (int j = 0; j < cols; ++j) sum[i][j] = T(0);
  }
  for (unsigned from = first; from < last; from += depth) {
    const unsigned count = last - from < depth ? last - from : depth;
    __syncthreads();
    for (unsigned at = threadIdx.x; at < count * (rows * side); at += kThreads) {
      const unsigned i = at % (rows * side);
      const unsigned e = at / (rows * side);
      members.g[e][i] = i < M ? g(from + e)[i] : T(0);
    }
    for (unsigned at = threadIdx.x; at < count * (cols * side); at += kThreads) {
      const unsigned i = at % (cols * side);
      const unsigned e = at / (cols * side);
      members.x[e][i] = i < N ? x(from + e)[i] : T(0);
    }
    __syncthreads();
    _Pragma("unroll 4") for (unsigned e = 0; e < count; ++e) {
      T a[rows];
      T b[cols];
      _Pragma("unroll") for (int i = 0; i < rows; ++i) a[i] = members.g[e][top + i];
      _Pragma("unroll") for (int j = 0; j < cols; ++j) b[j] = members.x[e][left + j];
      _Pragma("unroll") for (int i = 0; i < rows; ++i) {
        _Pragma("unroll") for (int j = 0; j < cols; ++j) sum[i][j] = madd(a[i], b[j], sum[i][j]);
      }
    }
  }
  T* const entries = reinterpret_cast<T*>(memory);
  for (int begin = 0; begin < M * N; begin += chunk) {
    __syncthreads();
    _Pragma("unroll") for (int i = 0; i < rows; ++i) {
      _Pragma("unroll") for (int j = 0; j < cols; ++j) {
        const int at = (top + i) * N + left + j - begin;
        if (top + i < M && left + j < N && at >= 0 && at < chunk) entries[at] = sum[i][j];
      }
    }
    __syncthreads();
    _Pragma("unroll") for (int k = 0; k < (M * N + kThreads - 1) / kThreads; ++k) {
      const int i = int(threadIdx.x) + k * kThreads;
      if (i < M * N && i >= begin && i < begin + chunk) own[k] = entries[i - begin];
    }
  }
  __syncthreads();
}

}  // namespace vecc_kernel
#endif
