// transr: a group's images, and the derivatives by negatives, by tensor cores (group_tile.h).
#if VECC_KG_HAS_SPACES && VECC_KG_HAS_SPLIT_TILES && VECC_TENSOR_CORES
namespace vecc_kernel {

static_assert(kSpaceRows == kGroupRows && kSpaceColumns == kGroupBlockColumns,
              "a block has a tile");

// Four numbers of a row [dim] from k on; for those that are not there stand some that are.
VECC_KG_FN Four four_of_row(const Number* row, unsigned k, unsigned dim) {
  if constexpr (kHasFours) return four_of(row + smaller(k, dim - 4));
  Four four;
#pragma unroll
  for (unsigned n = 0; n < 4; ++n) four.at[n] = row[smaller(k + n, dim - 1)];
  return four;
}
// The same with zeros where none are.
VECC_KG_FN Four known_four_of_row(const Number* row, unsigned k, unsigned dim) {
  return read_four(row + k, behind(k, dim));
}

// A block's products, to numbers from `first_column` on of rows [dim]: its first row is `first_row`
// of `row_count`.
template <class Tile>
VECC_KG_FN void write_group_tile(const Tile& tile, Number* to, unsigned first_row,
                                 unsigned row_count, unsigned first_column, const Bound& a) {
  tile.each([&](unsigned own_row, unsigned column, const float* sums) {
    const unsigned row = first_row + own_row;
    const unsigned k = first_column + column;
    if (row >= row_count) return;
    write_two(row_of(to, row, a.dim) + k, behind(k, a.dim), {sums[0], sums[1]});
  });
}

// Images of a block's negatives.
struct ImageTile {
  using Tile = GroupTile<true>;
  using Squares = ImageSquares<2>;
  static constexpr unsigned kSpace = kGroupSpace;

  const Bound& a;
  const GroupNegatives& of;

  // Rows of the matrix are columns, negatives are rows; a thread that has none reads the last one.
  struct Source {
    struct Place {
      unsigned first;
    };
    struct Weights {};
    unsigned dim;
    const Number* lines[Tile::kHeld];
    const Number* negatives[2];

    __device__ __forceinline__ void begin_stages(Place& place) const { place.first = 0; }
    __device__ __forceinline__ void advance(Place& place) const { place.first += kGroupTerms; }
    __device__ __forceinline__ void columns(const Place& place, Tile::Columns& to) const {
      const unsigned k = place.first + Tile::column_term(0);
#pragma unroll
      for (unsigned i = 0; i < Tile::kHeld; ++i) to.fours[i] = four_of_row(lines[i], k, dim);
    }
    __device__ __forceinline__ void rows(const Place& place, Tile::Rows& to, Weights&) const {
      const unsigned k = place.first + Tile::row_term(0);
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) to.fours[i] = known_four_of_row(negatives[i], k, dim);
    }
    __device__ __forceinline__ Number weigh(Weights, unsigned, unsigned, Number x) const {
      return x;
    }
  };

  // Their numbers first_column .. first_column + kSpaceColumns - 1.
  __device__ __forceinline__ void project(unsigned first_column, Number* space,
                                          Squares& squares) const {
    Source source = {a.dim};
    const Number* const matrix = matrix_of(a, of.group.relation);
#pragma unroll
    for (unsigned i = 0; i < Tile::kHeld; ++i) {
      const unsigned line = smaller(first_column + Tile::column(i), a.dim - 1);
      source.lines[i] = row_of(matrix, line, a.dim);
    }
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      source.negatives[i] = of.row(a, smaller(Tile::row(i), of.count - 1));
    }
    Tile tile;
    tile.add_all(whole_units(a.dim, kGroupTerms), space, source);
    Number sums[2] = {};
    tile.each([&](unsigned row, unsigned column, const float* two) {
      Number& sum = sums[row == Tile::row(1)];
#pragma unroll
      for (unsigned n = 0; n < 2; ++n) {
        if (first_column + column + n < a.dim) sum = multiply_add(two[n], two[n], sum);
      }
    });
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      squares.add(Tile::half(), Tile::row(i), sums[i], first_column == 0);
    }
    write_group_tile(tile, a.negative_images + of.place * a.dim, 0, of.count, first_column, a);
  }
};

// A block's part of the derivatives by kSpaceRows negatives of a chunk, kSpaceColumns numbers: what
// those by their images come to over groups of the chunk.
struct NegativeTile {
  using Tile = GroupTile<false>;
  static constexpr unsigned kSpace = kGroupSpace;

  const Bound& a;
  unsigned first_row;
  unsigned first_column;
  unsigned count;  // of rows
  Tile tile;

  // The terms: rows of the groups' matrices, one group after the other; each group's are whole
  // stages. Behind the last group this is it.
  struct Source {
    struct Place {
      unsigned group;  // of the list
      unsigned first;  // of the group's terms
      const Number* matrix;
      unsigned long long image;
    };
    struct Weights {
      Number of_rows[2];
    };
    const Bound& a;
    const GroupList& list;
    unsigned groups;
    unsigned numbers[Tile::kHeld];  // the thread's, of a row
    unsigned images[2];             // among a group's

    __device__ __forceinline__ void begin_stages(Place& place) const { find(0, place); }
    __device__ __forceinline__ void advance(Place& place) const {
      place.first += kGroupTerms;
      if (place.first >= a.dim) find(smaller(place.group + 1, groups - 1), place);
    }
    __device__ __forceinline__ void find(unsigned group, Place& place) const {
      place.group = group;
      place.first = 0;
      place.matrix = matrix_of(a, list.relations[group]);
      place.image = static_cast<unsigned long long>(list.numbers[group]) * a.negative_count;
    }
    __device__ __forceinline__ void columns(const Place& place, Tile::Columns& to) const {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) {
        const unsigned row = smaller(place.first + Tile::column_term(n), a.dim - 1);
        const Number* const numbers_of = row_of(place.matrix, row, a.dim);
#pragma unroll
        for (unsigned i = 0; i < Tile::kHeld; ++i) to.fours[i].at[n] = numbers_of[numbers[i]];
      }
    }
    __device__ __forceinline__ void rows(const Place& place, Tile::Rows& to,
                                         Weights& weights) const {
      const unsigned k = place.first + Tile::row_term(0);
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned long long image = place.image + images[i];
        to.fours[i] = known_four_of_row(a.negative_images + image * a.dim, k, a.dim);
        weights.of_rows[i] = a.norms[image];
      }
    }
    __device__ __forceinline__ Number weigh(const Weights& weights, unsigned i, unsigned,
                                            Number x) const {
      return x * weights.of_rows[i];
    }
  };

  __device__ __forceinline__ NegativeTile(const Bound& bound, unsigned row, unsigned column)
      : a(bound),
        first_row(row),
        first_column(column),
        count(smaller(kSpaceRows, bound.negative_count - row)) {}

  // The groups of a list.
  __device__ __forceinline__ void add(const GroupList& list, unsigned groups, Number* space) {
    if (groups == 0) return;
    Source source = {a, list, groups};
#pragma unroll
    for (unsigned i = 0; i < Tile::kHeld; ++i) {
      source.numbers[i] = smaller(first_column + Tile::column(i), a.dim - 1);
    }
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      source.images[i] = first_row + smaller(Tile::row(i), count - 1);
    }
    tile.add_all(groups * whole_units(a.dim, kGroupTerms), space, source);
  }
  __device__ __forceinline__ void write(Number* to) const {
    write_group_tile(tile, to, first_row, a.negative_count, first_column, a);
  }
};

}  // namespace vecc_kernel
#endif
