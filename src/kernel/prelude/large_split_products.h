// Kernel prelude, CUDA only: what large_products.h and large_outer_products.h compute, by tensor
// cores as if numbers were not narrower (split_tile.h). A block has 128 rows of the products at
// once, or of the sum, and 64 entries of each.
namespace vecc_kernel {

constexpr int kSplitRows = 128;
constexpr int kSplitWidth = 64;

struct __align__(16) SplitFour {
  float at[4];
};
template <bool TermsInLine>
using LargeSplitTile = SplitTile<kSplitWidth, TermsInLine, SplitFour, 2>;

// Numbers k .. k + 3 of the `count` from `from` on, with zeros behind them. `Aligned`: fours begin
// where they may, and none has only a part.
template <bool Aligned>
VECC_FN SplitFour read_split_four(const float* from, int k, int count) {
  SplitFour four{};
  if constexpr (Aligned) {
    if (k < count) four = *reinterpret_cast<const SplitFour*>(from + k);
  } else {
    _Pragma("unroll") for (int n = 0; n < 4; ++n) {
      if (k + n < count) four.at[n] = from[k + n];
    }
  }
  return four;
}

// Rows times a matrix, kSplitRows after the others, all of whose terms are stages one behind the
// other. What stands behind the last row or entry is that one again, and not stored.
template <int M, int K, bool TL, bool Aligned, class Row>
struct LargeSplitProducts {
  using Tile = LargeSplitTile<!TL>;
  static constexpr int kDepth = (K + int(Tile::kTerms) - 1) / int(Tile::kTerms) * int(Tile::kTerms);
  struct Place {
    int term;
    int first_row;
    const float* rows[2];
  };
  struct Weights {};
  const Row& row;
  int count;
  const float* of_columns[Tile::kHeld];

  VECC_FN LargeSplitProducts(const float* matrix, int first, int rows, const Row& of_row)
      : row(of_row), count(rows) {
    _Pragma("unroll") for (unsigned i = 0; i < Tile::kHeld; ++i) {
      const int entry = first + int(Tile::column(i));
      of_columns[i] = matrix + size_t(entry < M ? entry : M - 1) * (TL ? 1 : K);
    }
  }
  VECC_FN void begin_stages(Place& place) const {
    place.term = 0;
    place.first_row = 0;
    find(place);
  }
  VECC_FN void advance(Place& place) const {
    place.term += int(Tile::kTerms);
    if (place.term < kDepth) return;
    place.term = 0;
    place.first_row += kSplitRows;
    find(place);
  }
  VECC_FN void find(Place& place) const {
    _Pragma("unroll") for (unsigned i = 0; i < 2; ++i) {
      const int b = place.first_row + int(Tile::row(i));
      place.rows[i] = row(unsigned(b < count ? b : count - 1));
    }
  }
  VECC_FN void columns(const Place& place, typename Tile::Columns& to) const {
    _Pragma("unroll") for (unsigned i = 0; i < Tile::kHeld; ++i) {
      if constexpr (TL) {
        _Pragma("unroll") for (unsigned n = 0; n < 4; ++n) {
          const int k = place.term + int(Tile::column_term(n));
          to.fours[i].at[n] = of_columns[i][size_t(k < K ? k : K - 1) * M];
        }
      } else {
        const int k = place.term + int(Tile::column_term(0));
        to.fours[i] = read_split_four<Aligned>(of_columns[i], k, K);
      }
    }
  }
  VECC_FN void rows(const Place& place, typename Tile::Rows& to, Weights&) const {
    const int k = place.term + int(Tile::row_term(0));
    _Pragma("unroll") for (unsigned i = 0; i < 2; ++i) {
      to.fours[i] = read_split_four<Aligned>(place.rows[i], k, K);
    }
  }
  VECC_FN float weigh(Weights, unsigned, unsigned, float x) const { return x; }
};

// The sum of members' outer products: entries of g's columns are rows, those of x's columns;
// members are terms. Behind the last member it is read again, with zeros for g's.
template <int M, int N, class RowG, class RowX>
struct LargeSplitSum {
  using Tile = LargeSplitTile<false>;
  struct Place {
    unsigned first;
    const float* g[4];
    const float* x[4];
  };
  struct Weights {};
  const RowG& g;
  const RowX& x;
  unsigned begin;
  unsigned count;
  int of_rows[2];
  int of_columns[Tile::kHeld];

  VECC_FN LargeSplitSum(unsigned first, unsigned last, const RowG& of_g, const RowX& of_x, int top,
                        int left)
      : g(of_g), x(of_x), begin(first), count(last - first) {
    _Pragma("unroll") for (unsigned i = 0; i < 2; ++i) {
      const int entry = top + int(Tile::row(i));
      of_rows[i] = entry < M ? entry : M - 1;
    }
    _Pragma("unroll") for (unsigned i = 0; i < Tile::kHeld; ++i) {
      const int entry = left + int(Tile::column(i));
      of_columns[i] = entry < N ? entry : N - 1;
    }
  }
  VECC_FN void begin_stages(Place& place) const {
    place.first = 0;
    find(place);
  }
  VECC_FN void advance(Place& place) const {
    place.first += Tile::kTerms;
    find(place);
  }
  VECC_FN void find(Place& place) const {
    _Pragma("unroll") for (unsigned n = 0; n < 4; ++n) {
      place.g[n] = g(begin + smaller(place.first + Tile::row_term(n), count - 1));
      place.x[n] = x(begin + smaller(place.first + Tile::column_term(n), count - 1));
    }
  }
  VECC_FN void columns(const Place& place, typename Tile::Columns& to) const {
    _Pragma("unroll") for (unsigned n = 0; n < 4; ++n) {
      _Pragma("unroll") for (unsigned i = 0; i < Tile::kHeld; ++i) {
        to.fours[i].at[n] = place.x[n][of_columns[i]];
      }
    }
  }
  VECC_FN void rows(const Place& place, typename Tile::Rows& to, Weights&) const {
    _Pragma("unroll") for (unsigned n = 0; n < 4; ++n) {
      const bool is_there = place.first + Tile::row_term(n) < count;
      _Pragma("unroll") for (unsigned i = 0; i < 2; ++i) {
        to.fours[i].at[n] = is_there ? place.g[n][of_rows[i]] : 0.f;
      }
    }
  }
  VECC_FN float weigh(Weights, unsigned, unsigned, float number) const { return number; }
};

// What a thread has of one of its two rows, to a row of `Width` entries: the block's columns are
// entries from `first` on.
template <int Width, class Tile>
VECC_FN void store_sums(const Tile& tile, unsigned i, int first, float* row) {
  struct __align__(8) Two {
    float first;
    float second;
  };
  const int own = first + int(Tile::first_column());
  if constexpr (Width % 2 == 0) {
    if (begins_packed<float, 2>(row)) {
      _Pragma("unroll") for (unsigned j = 0; j < Tile::kTiles; ++j) {
        const int at = own + int(j) * 8;
        const float* const sums = tile.two(i, j);
        if (Width % kSplitWidth == 0 || at < Width) {
          *reinterpret_cast<Two*>(row + at) = {sums[0], sums[1]};
        }
      }
      return;
    }
  }
  _Pragma("unroll") for (unsigned j = 0; j < Tile::kTiles; ++j) {
    const int at = own + int(j) * 8;
    _Pragma("unroll") for (int n = 0; n < 2; ++n) {
      if (at + n < Width) row[at + n] = tile.two(i, j)[n];
    }
  }
}

// Whether one of the tile's sums is no number, as where terms are infinite.
template <class Tile>
VECC_FN bool has_no_number(const Tile& tile) {
  bool has = false;
  tile.each([&](unsigned, unsigned, const float* sums) {
    has = has || sums[0] != sums[0] || sums[1] != sums[1];
  });
  return has;
}
// The bits that any of a block's threads has; what they stored before is there for all. `here`: of
// shared memory that products have been read from.
VECC_FN unsigned long long unite_bits(unsigned long long own, void* here) {
  unsigned long long& bits = *static_cast<unsigned long long*>(here);
  __syncthreads();
  if (threadIdx.x == 0) bits = 0;
  __syncthreads();
  if (own != 0) atomicOr(&bits, own);
  __syncthreads();
  return bits;
}

// What is no number of the block's products, as where terms are infinite, once more by
// multiply-adds: of rows top .. bottom - 1, of which target(b) has entries left .. right - 1.
// add(b, entry, k, sum) adds term k.
template <class Add, class Target>
VECC_FN void multiply_once_more(unsigned top, unsigned bottom, int left, int right, unsigned terms,
                                const Add& add, const Target& target) {
  const auto width = static_cast<unsigned>(right - left);
  _Pragma("unroll 1") for (unsigned n = threadIdx.x; n < (bottom - top) * width; n += kThreads) {
    const unsigned b = top + n / width;
    const int entry = left + int(n % width);
    float* const place = target(b) + entry;
    if (*place == *place) continue;
    float sum = 0;
    _Pragma("unroll 1") for (unsigned k = 0; k < terms; ++k) sum = add(b, entry, k, sum);
    *place = sum;
  }
}

VECC_FN float* split_memory() {
  __shared__ __align__(128) float memory[LargeSplitTile<false>::kSpace];
  return memory;
}

// times_large_matrix() of entries of part `part`, kSplitWidth of them, and any number of rows.
template <class T, int M, int K, bool TL, bool Aligned, int Rows, int Width, class Row,
          class Target>
VECC_FN void times_large_split_matrix(const T* matrix, unsigned part, unsigned count,
                                      const Row& row, const Target& target) {
  static_assert(Rows == kSplitRows && Width == kSplitWidth, "as the host has it");
  using Products = LargeSplitProducts<M, K, TL, Aligned, Row>;
  constexpr unsigned stages = Products::kDepth / Products::Tile::kTerms;
  constexpr unsigned last_bit = 63;  // of all tiles from there on
  const int first = int(part) * kSplitWidth;
  const unsigned tiles = (count + kSplitRows - 1) / kSplitRows;
  typename Products::Tile tile;
  unsigned long long without_numbers = 0;
  unsigned at = 0;  // the tile's number
  const auto store = [&](unsigned stage) {
    if (stage + 1 != (at + 1) * stages) return;
    if (has_no_number(tile)) without_numbers |= 1ull << smaller(at, last_bit);
    _Pragma("unroll") for (unsigned i = 0; i < 2; ++i) {
      const unsigned b = at * kSplitRows + tile.row(i);
      if (b < count) store_sums<M>(tile, i, first, target(b));
    }
    _Pragma("unroll") for (float& sum : tile.sums) sum = 0;
    ++at;
  };
  float* const memory = split_memory();
  tile.add_all(tiles * stages, memory, Products(matrix, first, int(count), row), store);
  const unsigned long long bits = unite_bits(without_numbers, memory);
  if (bits == 0) return;
  const auto add = [&](unsigned b, int entry, unsigned k, float sum) {
    return madd(matrix[TL ? size_t(k) * M + entry : size_t(entry) * K + k], row(b)[k], sum);
  };
  for (unsigned t = 0; t < tiles; ++t) {
    if ((bits >> smaller(t, last_bit) & 1) == 0) continue;
    multiply_once_more(t * kSplitRows, smaller((t + 1) * kSplitRows, count), first,
                       first + kSplitWidth < M ? first + kSplitWidth : M, K, add, target);
  }
}

// sum_large_products(), in parts of kSplitRows x kSplitWidth.
template <class T, int M, int N, int Rows, int Width, class RowG, class RowX>
VECC_FN void sum_large_split_products(unsigned part, unsigned first, unsigned last, const RowG& g,
                                      const RowX& x, T* to) {
  static_assert(Rows == kSplitRows && Width == kSplitWidth, "as the host has it");
  using Sum = LargeSplitSum<M, N, RowG, RowX>;
  constexpr int across = (N + kSplitWidth - 1) / kSplitWidth;
  const int top = int(part) / across * kSplitRows;
  const int left = int(part) % across * kSplitWidth;
  const auto target = [&](unsigned entry) { return to + size_t(entry) * N; };
  float* const memory = split_memory();
  typename Sum::Tile tile;
  if (first < last) {
    tile.add_all((last - first + tile.kTerms - 1) / tile.kTerms, memory,
                 Sum(first, last, g, x, top, left));
  }
  _Pragma("unroll") for (unsigned i = 0; i < 2; ++i) {
    const int entry = top + int(tile.row(i));
    if (entry < M) store_sums<N>(tile, i, left, target(unsigned(entry)));
  }
  if (unite_bits(has_no_number(tile), memory) == 0) return;
  multiply_once_more(
      unsigned(top), unsigned(top + kSplitRows < M ? top + kSplitRows : M), left,
      left + kSplitWidth < N ? left + kSplitWidth : N, last - first,
      [&](unsigned i, int j, unsigned e, float sum) {
        return madd(g(first + e)[i], x(first + e)[j], sum);
      },
      target);
}

}  // namespace vecc_kernel
