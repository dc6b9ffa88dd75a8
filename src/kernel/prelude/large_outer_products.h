// Kernel prelude, CUDA only: a sum of outer products that is too large for the registers of a
// block: blocks have tiles of 128 x 128 of its entries, which go from registers to memory.
namespace vecc_kernel {

// Entries of a thread's tile to their places, as far as there are any.
template <class T, int M, int N, int Rows, int Cols>
VECC_FN void store_tile(const T (*sum)[Cols], int top, int left, T* to) {
  _Pragma("unroll") for (int i = 0; i < Rows; ++i) {
    if (top + i >= M) continue;
    T* row = to + size_t(top + i) * N;
    if constexpr (N % 4 == 0 && Cols % 4 == 0) {
      if (begins_packed<T, 4>(row)) {
        _Pragma("unroll") for (int j = 0; j < Cols; j += 4) {
          Four<T> four;
          _Pragma("unroll") for (int k = 0; k < 4; ++k) four.x[k] = sum[i][j + k];
          if (left + j < N) *reinterpret_cast<Four<T>*>(row + left + j) = four;
        }
        continue;
      }
    }
    _Pragma("unroll") for (int j = 0; j < Cols; ++j) {
      if (left + j < N) row[left + j] = sum[i][j];
    }
  }
}

// Where entry i of the columns of a tile that begins at entry `first` is, of `Entries`: behind the
// last those again, of which nothing is stored.
template <unsigned Entries, unsigned Width, class Row>
VECC_FN auto tile_entries(const Row& row, int first) {
  return [&row, first](unsigned e, unsigned i) {
    return row(e) + smaller(unsigned(first) + i, Entries - Width);
  };
}

// Tile `part` (Side x Side) of `to`: the sum over members first .. last - 1 of g x^T, M x N, each
// entry added up in the members' order.
template <class T, int M, int N, int Side, class RowG, class RowX>
VECC_FN void sum_large_products(unsigned part, unsigned first, unsigned last, const RowG& g,
                                const RowX& x, T* to) {
  using Tiles = OuterTiles<T, Side, Side>;
  constexpr int across = (N + Side - 1) / Side;
  const int top = int(part) / across * Side;
  const int left = int(part) % across * Side;
  __shared__ typename Tiles::Members members;
  T sum[Tiles::rows][Tiles::cols];
  _Pragma("unroll") for (int i = 0; i < Tiles::rows; ++i) {
    _Pragma("unroll") for (int j = 0; j < Tiles::cols; ++j) sum[i][j] = T(0);
  }
  const auto add = [&](auto pack) {
    using P = decltype(pack);
    constexpr unsigned width = sizeof(P) / sizeof(T);
    add_outer_products<P, T, Side, Side>(first, last, tile_entries<M, width>(g, top),
                                         tile_entries<N, width>(x, left), members, sum);
  };
  bool fours = false;
  if constexpr (M % 4 == 0 && N % 4 == 0) {
    fours = first < last && begins_packed<T, 4>(g(first)) && begins_packed<T, 4>(x(first));
    if (fours) add(Four<T>{});
  }
  if (!fours) add(T(0));
  __syncthreads();
  store_tile<T, M, N, Tiles::rows, Tiles::cols>(sum, top + Tiles::top(), left + Tiles::left(), to);
}

}  // namespace vecc_kernel
