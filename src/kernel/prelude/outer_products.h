// Kernel prelude, CUDA only: sums of outer products by a whole block, which are gradients of
// matrices that many rows share.
namespace vecc_kernel {

// Rows of some members on their way to shared memory, in packs P (Four, or one number): a thread's
// are in its registers while the block still works on the members before them.
template <class T, class P, int Entries, int Depth>
struct MembersInFlight {
  static constexpr unsigned width = sizeof(P) / sizeof(T);
  static constexpr unsigned packs = Entries / width;  // of a row
  PacksInFlight<P, int(Depth* packs)> held;

  // Members from .. from + count - 1, of which row(e, i) is where entry i of e's row is.
  template <class Row>
  VECC_FN void load(unsigned from, unsigned count, const Row& row) {
    held.load(
        [&](unsigned i) { return row(from + smaller(i / packs, count - 1), i % packs * width); });
  }
  template <int Step>
  VECC_FN void put(T (*to)[Step]) const {
    held.put([&](unsigned i) { return &to[i / packs][i % packs * width]; });
  }
  // The same, with zeros from member `count` on.
  template <int Step>
  VECC_FN void put_or_zero(unsigned count, T (*to)[Step]) const {
    held.put_or_zero([&](unsigned i) { return i / packs < count; },
                     [&](unsigned i) { return &to[i / packs][i % packs * width]; });
  }
};

// Where entry i of member e's row is, by where the row begins.
template <class Row>
VECC_FN auto entries_of(const Row& row) {
  return [&](unsigned e, unsigned i) { return row(e) + i; };
}

// The tile of a matrix that a thread has, and the members that are here.
template <class T, int M, int N>
struct OuterTiles {
  static constexpr int side = 16;
  static_assert(sizeof(T) > 0 && side * side == kThreads, "a thread a tile");
  static constexpr int rows = (M + side - 1) / side;
  static constexpr int cols = (N + side - 1) / side;
  static constexpr int most = 24 * 1024 / ((rows + cols) * side * int(sizeof(T)));
  static constexpr int depth = most < 32 ? most : 32;
  struct Members {
    alignas(16) T g[depth][rows * side];
    alignas(16) T x[depth][cols * side];
  };

  // A warp has 4 x 8 tiles, so that a half of it reads few numbers (as in block_products.h).
  VECC_FN static int top() {
    const int lane = int(threadIdx.x) % 32;
    return (int(threadIdx.x) / 64 * 4 + lane % 2 + lane / 16 * 2) * rows;
  }
  VECC_FN static int left() {
    return (int(threadIdx.x) / 32 % 2 * 8 + int(threadIdx.x) / 2 % 8) * cols;
  }
};

// `Count` neighbouring numbers in shared memory.
template <class T, int Count>
VECC_FN void read_tile(const T* from, T* to) {
  if constexpr (Count % 4 == 0) {
    _Pragma("unroll") for (int i = 0; i < Count; i += 4) {
      const auto all = *reinterpret_cast<const Four<T>*>(from + i);
      _Pragma("unroll") for (int k = 0; k < 4; ++k) to[i + k] = all.x[k];
    }
  } else {
    _Pragma("unroll") for (int i = 0; i < Count; ++i) to[i] = from[i];
  }
}

// g(e, i), x(e, i): entry i of member e's columns.
template <class P, class T, int M, int N, class EntryG, class EntryX>
VECC_FN void add_outer_products(unsigned first, unsigned last, const EntryG& g, const EntryX& x,
                                typename OuterTiles<T, M, N>::Members& members,
                                T (*sum)[OuterTiles<T, M, N>::cols]) {
  using Tiles = OuterTiles<T, M, N>;
  constexpr unsigned depth = Tiles::depth;
  const int top = Tiles::top();
  const int left = Tiles::left();
  MembersInFlight<T, P, M, depth> next_g;
  MembersInFlight<T, P, N, depth> next_x;
  const auto load = [&](unsigned from) {
    next_g.load(from, smaller(last - from, depth), g);
    next_x.load(from, smaller(last - from, depth), x);
  };
  if (first < last) load(first);
  for (unsigned from = first; from < last; from += depth) {
    __syncthreads();
    next_g.put(members.g);
    next_x.put(members.x);
    __syncthreads();
    if (last - from > depth) load(from + depth);
    const unsigned count = smaller(last - from, depth);
    _Pragma("unroll 2") for (unsigned e = 0; e < count; ++e) {
      T a[Tiles::rows];
      T b[Tiles::cols];
      read_tile<T, Tiles::rows>(&members.g[e][top], a);
      read_tile<T, Tiles::cols>(&members.x[e][left], b);
      _Pragma("unroll") for (int i = 0; i < Tiles::rows; ++i) {
        _Pragma("unroll") for (int j = 0; j < Tiles::cols; ++j) {
          sum[i][j] = madd(a[i], b[j], sum[i][j]);
        }
      }
    }
  }
}

// The sum over members first .. last - 1 of g x^T, M x N; thread l gets entries l, l + kThreads,
// ... Threads form a square, in which each has a tile of entries in registers; members go through
// the block's memory, several at once. Each entry is added up in the members' order.
template <class T, int M, int N, class RowG, class RowX>
VECC_FN void sum_outer_products(unsigned first, unsigned last, const RowG& g, const RowX& x,
                                T* own) {
  using Tiles = OuterTiles<T, M, N>;
  using Members = typename Tiles::Members;
  constexpr int chunk = 16 * 1024 / int(sizeof(T));  // entries that change hands at once
  constexpr size_t bytes = sizeof(Members) > 16 * 1024 ? sizeof(Members) : 16 * 1024;
  __shared__ __align__(16) unsigned char memory[bytes];
  Members& members = *reinterpret_cast<Members*>(memory);
  T sum[Tiles::rows][Tiles::cols];
  _Pragma("unroll") for (int i = 0; i < Tiles::rows; ++i) {
    _Pragma("unroll") for (int j = 0; j < Tiles::cols; ++j) sum[i][j] = T(0);
  }
  __syncthreads();
  bool fours = false;
  if constexpr (M % 4 == 0 && N % 4 == 0) {
    fours = first < last && begins_packed<T, 4>(g(first)) && begins_packed<T, 4>(x(first));
    if (fours)
      add_outer_products<Four<T>, T, M, N>(first, last, entries_of(g), entries_of(x), members, sum);
  }
  if (!fours)
    add_outer_products<T, T, M, N>(first, last, entries_of(g), entries_of(x), members, sum);
  T* const entries = reinterpret_cast<T*>(memory);
  for (int begin = 0; begin < M * N; begin += chunk) {
    __syncthreads();
    _Pragma("unroll") for (int i = 0; i < Tiles::rows; ++i) {
      _Pragma("unroll") for (int j = 0; j < Tiles::cols; ++j) {
        const int row = Tiles::top() + i;
        const int col = Tiles::left() + j;
        const int at = row * N + col - begin;
        if (row < M && col < N && at >= 0 && at < chunk) entries[at] = sum[i][j];
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
