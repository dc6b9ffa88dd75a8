// Kernel prelude, CUDA only: sums of outer products by tensor cores (tensor_core_products.h), which
// outer_products.h has in f32.
namespace vecc_kernel {

// What a block has of members' rows of M and of N entries, and how warps share the M x N sum: in
// tiles of 16 x 32, of which lane l has in places l / 4 and l / 4 + 8 of the rows two neighbours,
// and of its four times eight columns in places l / 4 four neighbours. Lanes that read one entry
// of members l % 4 each read from different banks.
template <class P, int M, int N>
struct TensorOuterProducts {
  static constexpr int step_g = (M + 31) / 32 * 32 + 8;
  static constexpr int step_x = (N + 31) / 32 * 32 + 8;
  static constexpr int depth = (step_g + step_x) * 32 * 4 <= 36 * 1024 ? 32 : 16;
  static constexpr int across = (N + 31) / 32;
  static constexpr int tiles = (M + 15) / 16 * across;
  static constexpr int warps = kThreads / 32;
  static constexpr int each = (tiles + warps - 1) / warps;  // of a warp
  static constexpr int chunk = 4096;                        // entries that change hands at once
  struct Members {
    alignas(16) float g[depth][step_g];
    alignas(16) float x[depth][step_x];
  };
  union Memory {
    Members members;
    float entries[chunk];
  };

  // Of a warp's tiles: the first row and column, beyond the matrix if there is no such tile.
  VECC_FN static int top(int t) { return (int(threadIdx.x) / 32 + t * warps) / across * 16; }
  VECC_FN static int left(int t) { return (int(threadIdx.x) / 32 + t * warps) % across * 32; }
};

// sum += members `e` .. e + 15 of the tile at (top, left).
template <class P, class Members>
VECC_FN void add_tensor_members(const Members& members, int e, int top, int left, float (*sum)[4]) {
  const int lane = int(threadIdx.x) % 32;
  struct alignas(8) Two {
    float x[2];
  };
  float g[2][4];
  float x[4][4];
  _Pragma("unroll") for (int i = 0; i < 4; ++i) {
    const int member = e + lane % 4 + i * 4;
    const auto two = *reinterpret_cast<const Two*>(&members.g[member][top + lane / 4 * 2]);
    const auto four =
        *reinterpret_cast<const Four<float>*>(&members.x[member][left + lane / 4 * 4]);
    _Pragma("unroll") for (int h = 0; h < 2; ++h) g[h][i] = two.x[h];
    _Pragma("unroll") for (int j = 0; j < 4; ++j) x[j][i] = four.x[j];
  }
  const auto low = P::round(g[0]);
  const auto high = P::round(g[1]);
  _Pragma("unroll") for (int j = 0; j < 4; ++j) P::multiply(low, high, P::round(x[j]), sum[j]);
}

// g(e, i), x(e, i): where entry i of member e's columns is.
template <class P, class Pack, int M, int N, class EntryG, class EntryX>
VECC_FN void add_tensor_outer_products(unsigned first, unsigned last, const EntryG& g,
                                       const EntryX& x,
                                       typename TensorOuterProducts<P, M, N>::Members& members,
                                       float (*sum)[4][4]) {
  using Own = TensorOuterProducts<P, M, N>;
  constexpr unsigned depth = Own::depth;
  MembersInFlight<float, Pack, M, depth> next_g;
  MembersInFlight<float, Pack, N, depth> next_x;
  const auto load = [&](unsigned from) {
    next_g.load(from, smaller(last - from, depth), g);
    next_x.load(from, smaller(last - from, depth), x);
  };
  if (first < last) load(first);
  for (unsigned from = first; from < last; from += depth) {
    const unsigned count = smaller(last - from, depth);
    __syncthreads();
    next_g.put_or_zero(count, members.g);
    next_x.put_or_zero(count, members.x);
    __syncthreads();
    if (last - from > depth) load(from + depth);
    _Pragma("unroll 1") for (unsigned e = 0; e < count; e += 16) {
      _Pragma("unroll") for (int t = 0; t < Own::each; ++t) {
        const int top = Own::top(t);
        if (top < M) add_tensor_members<P>(members, int(e), top, Own::left(t), sum[t]);
      }
    }
  }
}

// A lane's entries of its warp's tiles, those among begin .. begin + chunk - 1, to their places.
template <class P, int M, int N>
VECC_FN void put_tensor_entries(const float (*sum)[4][4], int begin, float* entries) {
  using Own = TensorOuterProducts<P, M, N>;
  const int lane = int(threadIdx.x) % 32;
  _Pragma("unroll") for (int t = 0; t < Own::each; ++t) {
    _Pragma("unroll") for (int j = 0; j < 4; ++j) {
      _Pragma("unroll") for (int i = 0; i < 4; ++i) {
        const int row = Own::top(t) + lane / 4 * 2 + i / 2;
        const int col = Own::left(t) + (lane % 4 * 2 + i % 2) * 4 + j;
        const int at = row * N + col - begin;
        if (row < M && col < N && at >= 0 && at < Own::chunk) entries[at] = sum[t][j][i];
      }
    }
  }
}

// sum_outer_products() of outer_products.h: the sum over members first .. last - 1 of g x^T; thread
// l gets entries l, l + kThreads, ...
template <class P, int M, int N, class RowG, class RowX>
VECC_FN void sum_tensor_outer_products(unsigned first, unsigned last, const RowG& g, const RowX& x,
                                       float* own) {
  using Own = TensorOuterProducts<P, M, N>;
  auto& memory = tensor_memory<typename Own::Memory>();
  float sum[Own::each][4][4] = {};
  bool fours = false;
  if constexpr (M % 4 == 0 && N % 4 == 0) {
    fours = first < last && begins_packed<float, 4>(g(first)) && begins_packed<float, 4>(x(first));
    if (fours)
      add_tensor_outer_products<P, Four<float>, M, N>(first, last, entries_of(g), entries_of(x),
                                                      memory.members, sum);
  }
  if (!fours) {
    add_tensor_outer_products<P, float, M, N>(first, last, entries_of(g), entries_of(x),
                                              memory.members, sum);
  }
  for (int begin = 0; begin < M * N; begin += Own::chunk) {
    __syncthreads();
    put_tensor_entries<P, M, N>(sum, begin, memory.entries);
    __syncthreads();
    _Pragma("unroll") for (int k = 0; k < (M * N + kThreads - 1) / kThreads; ++k) {
      const int i = int(threadIdx.x) + k * kThreads;
      if (i < M * N && i >= begin && i < begin + Own::chunk) own[k] = memory.entries[i - begin];
    }
  }
  __syncthreads();
}

}  // namespace vecc_kernel
