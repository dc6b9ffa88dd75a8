// Kernel prelude, CUDA only: sums of outer products that are small matrices, by warps.
namespace vecc_kernel {

// A lane's tile of an M x N matrix, of Down x Across lanes.
template <int M, int N, int Down, int Across>
struct WarpTile {
  static constexpr int rows = (M + Down - 1) / Down;
  static constexpr int cols = (N + Across - 1) / Across;
  static constexpr int lanes = Down * Across;
  static constexpr int groups = 32 / lanes;  // of lanes that have all tiles

  VECC_FN static int top() { return int(threadIdx.x) % lanes / Across * rows; }
  VECC_FN static int left() { return int(threadIdx.x) % Across * cols; }
  VECC_FN static int group() { return int(threadIdx.x) % 32 / lanes; }
};

// `Count` numbers from `at` on of a row of Size; behind it the last one, for entries that are not
// read.
template <class T, int Size, int Count>
VECC_FN void load_tile(const T* row, int at, T* to) {
  _Pragma("unroll") for (int i = 0; i < Count; ++i) {
    to[i] = row[Size % Count == 0 || at + i < Size ? at + i : Size - 1];
  }
}

// What all warps of a block have of their tiles, joined in their order: each thread gets its own
// entries. As many matrices as there is memory for are joined at once.
template <class T, int M, int N, int Down, int Across, int G>
VECC_FN void join_tiles(const T (*sum)[WarpTile<M, N, Down, Across>::cols], T* own) {
  using Tile = WarpTile<M, N, Down, Across>;
  constexpr int warps = kThreads / 32;
  constexpr int most = 8 * 1024 / (M * N * int(sizeof(T)));
  constexpr int banks = most >= warps ? warps : most >= 4 ? 4 : most >= 2 ? 2 : 1;
  T(*bank)[M * N] = block_memory<T[M * N], banks>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % G;
  _Pragma("unroll 1") for (int first = 0; first < warps; first += banks) {
    if (warp >= first && warp < first + banks && Tile::group() == 0) {
      T* to = bank[warp - first];
      _Pragma("unroll") for (int i = 0; i < Tile::rows; ++i) {
        _Pragma("unroll") for (int j = 0; j < Tile::cols; ++j) {
          const int row = Tile::top() + i;
          const int col = Tile::left() + j;
          if (row >= M || col >= N) continue;
          T& entry = to[row * N + col];
          entry = first == 0 ? sum[i][j] : entry + sum[i][j];
        }
      }
    }
    __syncthreads();
  }
  VECC_ENTRIES(M * N) {
    own[j] = bank[0][i];
    _Pragma("unroll") for (int b = 1; b < banks; ++b) own[j] += bank[b][i];
  }
  __syncthreads();
}

// The sum over members first .. last - 1 of g x^T, M x N, of a row that G lanes share in so many
// slots: each thread gets its own entries. A block's warps have tiles in registers; where fewer
// threads share a row, each lane has its entries.
template <class T, int M, int N, int Down, int Across, int G, int Slots, class RowG, class RowX>
VECC_FN void sum_short_outer_products(unsigned first, unsigned last, const RowG& g, const RowX& x,
                                      T* own) {
  using Tile = WarpTile<M, N, Down, Across>;
  if constexpr (G == 32 && Slots > 1) {
    static_assert(Slots * 32 == kThreads, "all warps of a block");
    T sum[Tile::rows][Tile::cols];
    _Pragma("unroll") for (int i = 0; i < Tile::rows; ++i) {
      _Pragma("unroll") for (int j = 0; j < Tile::cols; ++j) sum[i][j] = T(0);
    }
    constexpr unsigned batch = Tile::rows + Tile::cols <= 12 ? 4 : 2;
    constexpr unsigned step = Slots * Tile::groups;
    _Pragma("unroll 1") for (unsigned at = first + threadIdx.x / 32 * Tile::groups + Tile::group();
                             at < last; at += batch * step) {
      T a[batch][Tile::rows];
      T b[batch][Tile::cols];
      _Pragma("unroll") for (unsigned m = 0; m < batch; ++m) {
        // Behind the last member its numbers again, of which nothing is added.
        const bool here = m == 0 || last - at > m * step;
        const unsigned e = here ? at + m * step : last - 1;
        load_tile<T, M, Tile::rows>(g(e), Tile::top(), a[m]);
        load_tile<T, N, Tile::cols>(x(e), Tile::left(), b[m]);
        _Pragma("unroll") for (int i = 0; i < Tile::rows; ++i) a[m][i] = here ? a[m][i] : T(0);
        _Pragma("unroll") for (int j = 0; j < Tile::cols; ++j) b[m][j] = here ? b[m][j] : T(0);
      }
      _Pragma("unroll") for (unsigned m = 0; m < batch; ++m) {
        _Pragma("unroll") for (int i = 0; i < Tile::rows; ++i) {
          _Pragma("unroll") for (int j = 0; j < Tile::cols; ++j) {
            sum[i][j] = madd(a[m][i], b[m][j], sum[i][j]);
          }
        }
      }
    }
    _Pragma("unroll") for (int i = 0; i < Tile::rows; ++i) {
      _Pragma("unroll") for (int j = 0; j < Tile::cols; ++j) {
        _Pragma("unroll") for (int step = 16; step >= Tile::lanes; step /= 2) {
          sum[i][j] += __shfl_xor_sync(~0u, sum[i][j], step);
        }
      }
    }
    join_tiles<T, M, N, Down, Across, G>(sum, own);
  } else {
    const int lane = threadIdx.x % G;
    _Pragma("unroll 1") for (unsigned e = first + threadIdx.x / G % Slots; e < last; e += Slots) {
      const T* a = g(e);
      const T* b = x(e);
      if constexpr (kOwn<M * N, G> <= 128) {
        VECC_ENTRIES(M * N) own[j] = madd(a[i / N], b[i % N], own[j]);
      } else {
        VECC_MANY_ENTRIES(M * N) own[j] = madd(a[i / N], b[i % N], own[j]);
      }
    }
    join_slots<T, M * N, G, Slots>(own, [](T a, T b) { return a + b; });
  }
}

}  // namespace vecc_kernel
