// transr (src/kg/projected_query.h): products of queries with the relations' matrices, by runs of
// sorted queries; images M e of a chunk's negatives by each relation that it asks, a group.
#if VECC_KG_HAS_SPACES
namespace vecc_kernel {

VECC_KG_FN Number sign_of(const Batch& batch, unsigned query) {
  return query < batch.tails ? Number(1) : Number(-1);
}
VECC_KG_FN Number relation_number(const Bound& a, unsigned query, unsigned k) {
  return (a.relations + a.query_rows[query].relation * width_of_relation(a))[k];
}
// q = M x + r, and of the pair with the answer d = M (x - e) + r.
VECC_KG_FN void make_images(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  multiply_runs<2>(
      a, batch, number, [](bool) { return false; },
      [&](unsigned query, unsigned k, unsigned set) {
        return set == 0 ? anchor_number(a, number, query, k)
                        : difference_number(a, batch, number, query, k);
      },
      [&](unsigned query, unsigned k, const Number* sums) {
        const Number r = sign_of(batch, query) * relation_number(a, query, k);
        row_of(a.images, query, a.dim)[k] = sums[0] + r;
        row_of(a.differences, query, a.dim)[k] = sums[1] + r;
      });
}
// v = 2 M^T q.
VECC_KG_FN void make_vectors(const Bound& a) {
  const unsigned number = a.state->now;
  multiply_runs<1>(
      a, Batch(a, number), number, [](bool) { return true; },
      [&](unsigned query, unsigned k, unsigned) { return row_of(a.images, query, a.dim)[k]; },
      [&](unsigned query, unsigned k, const Number* sums) {
        row_of(a.queries, query, a.dim)[k] = 2 * sums[0];
      });
}
// dq = 2 (M dv - db q); d becomes the derivative dd by it; both pass on to r.
VECC_KG_FN void differentiate_images(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  multiply_runs<1>(
      a, batch, number, [](bool) { return false; },
      [&](unsigned query, unsigned k, unsigned) { return row_of(a.by_query, query, a.dim)[k]; },
      [&](unsigned query, unsigned k, const Number* sums) {
        const Number dq = 2 * (sums[0] - a.by_bias[query] * row_of(a.images, query, a.dim)[k]);
        Number& d = row_of(a.differences, query, a.dim)[k];
        d *= -2 * a.positives[query];
        row_of(a.by_image, query, a.dim)[k] = dq + d;
        row_of(a.by_relation, query, a.dim)[k] = sign_of(batch, query) * (dq + d);
      });
}
// M^T (dq + dd) of the query's entity, -M^T dd of its answer.
VECC_KG_FN void differentiate_entities(const Bound& a) {
  const unsigned number = a.state->now;
  multiply_runs<2>(
      a, Batch(a, number), number, [](bool) { return true; },
      [&](unsigned query, unsigned k, unsigned set) {
        return row_of(set == 0 ? a.by_image : a.differences, query, a.dim)[k];
      },
      [&](unsigned query, unsigned k, const Number* sums) {
        row_of(a.by_anchor, query, a.dim)[k] = sums[0];
        row_of(a.by_answer, query, a.dim)[k] = -sums[1];
      });
}

// Images of kSpaceRows negatives of a group, and of what is derived from them.
using SpaceTile = WideTile<kSpaceRows / 8>;

// A block's products, to numbers from `first_column` on of rows [dim]: its first row is `first_row`
// of `row_count`.
VECC_KG_FN void write_tile(const SpaceTile& tile, Number* to, unsigned first_row,
                           unsigned row_count, unsigned first_column, const Bound& a) {
#pragma unroll
  for (unsigned i = 0; i < kSpaceRows / 8; ++i) {
    const unsigned row = first_row + SpaceTile::row(i);
    if (row >= row_count) continue;
#pragma unroll
    for (unsigned j = 0; j < 8; j += 4) {
      const unsigned k = first_column + SpaceTile::column(j);
      Four four;
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) four.at[n] = tile.sums[i][j + n];
      write_four(row_of(to, row, a.dim) + k, behind(k, a.dim), four);
    }
  }
}

// Squares of the lengths of a block's images, by warps, which have columns of their own.
struct ImageSquares {
  static constexpr unsigned kWarps = kPairThreads / 32;
  Number of_warps[kWarps][kSpaceRows];

  __device__ __forceinline__ void add(const SpaceTile& tile, bool is_first) {
#pragma unroll
    for (unsigned i = 0; i < kSpaceRows / 8; ++i) {
      Number sum = 0;
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) sum = multiply_add(tile.sums[i][j], tile.sums[i][j], sum);
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      if (threadIdx.x % 4 != 0) continue;
      Number& all = of_warps[threadIdx.x / 32][SpaceTile::row(i)];
      all = is_first ? sum : all + sum;
    }
  }
  __device__ __forceinline__ Number sum(unsigned row) const {
    Number all = 0;
    for (unsigned w = 0; w < kWarps; ++w) all += of_warps[w][row];
    return all;
  }
};

// A block: a group, kSpaceRows of its negatives: their images and the squares of their lengths.
VECC_KG_FN void project_negatives(const Bound& a) {
  __shared__ __align__(32) Number space[SpaceTile::kSpace];
  __shared__ ImageSquares squares;
  const unsigned tiles = whole_units(a.negative_count, kSpaceRows);
  const unsigned number = blockIdx.x / tiles;
  if (a.state->failed != 0 || number >= a.groups[0]) return;
  const Batch batch(a, a.state->now);
  const Group group(a, batch, number);
  const unsigned first = blockIdx.x % tiles * kSpaceRows;
  if (first == 0) {
    for (unsigned p = group.begin + threadIdx.x; p < group.end; p += kPairThreads) {
      a.group_of[static_cast<unsigned>(a.relation_keys.sorted[p])] = number;
    }
  }
  const unsigned count = smaller(kSpaceRows, a.negative_count - first);
  const unsigned long long negatives =
      static_cast<unsigned long long>(group.chunk) * a.negative_count + first;
  const unsigned long long place =
      static_cast<unsigned long long>(number) * a.negative_count + first;
  if (threadIdx.x < count)
    a.image_rows[place + threadIdx.x] = negative_number(a, negatives + threadIdx.x);
  LaneStage<kSpaceRows> rows;
  LaneStage<kWideColumns> columns;
  static_assert(LaneStage<kSpaceRows>::kHeld == 1, "a thread reads one negative");
  const unsigned own = rows.lane(0);
  const Number* const negative = own < count ? negative_row(a, negatives + own) : nullptr;
  const Number* const matrix = matrix_of(a, group.relation);
  for (unsigned first_column = 0; first_column < a.dim; first_column += kWideColumns) {
    SpaceTile tile;
    tile.add_stages(
        rows, columns, whole_units(a.dim, kDepth), a.dim - first_column, space,
        [&](unsigned stage, LaneStage<kSpaceRows>& to_rows, LaneStage<kWideColumns>& to_columns) {
          to_rows.fetch([&](unsigned, unsigned, unsigned term) {
            const unsigned k = stage * kDepth + term;
            return negative ? read_four(negative + k, behind(k, a.dim)) : Four{};
          });
          to_columns.fetch([&](unsigned, unsigned lane, unsigned term) {
            const unsigned i = first_column + lane;
            const unsigned k = stage * kDepth + term;
            return i < a.dim ? read_four(row_of(matrix, i, a.dim) + k, behind(k, a.dim)) : Four{};
          });
        },
        [&](unsigned stage) { return smaller(kDepth, a.dim - stage * kDepth); }, Unweighted());
    squares.add(tile, first_column == 0);
    write_tile(tile, a.negative_images + place * a.dim, 0, count, first_column, a);
  }
  __syncthreads();
  if (threadIdx.x < count) a.norms[place + threadIdx.x] = squares.sum(threadIdx.x);
}

// A block: a group, 32 of its negatives: by norms what their images are times in the derivatives by
// them, since each score of the group's queries has -|M e|^2.
VECC_KG_FN void differentiate_norms(const Bound& a) {
  constexpr unsigned kWarps = kPairThreads / 32;
  __shared__ Number sums[kWarps][32];
  const unsigned columns = whole_units(a.negative_count, 32);
  const unsigned number = blockIdx.x / columns;
  if (number >= a.groups[0]) return;
  const Group group(a, Batch(a, a.state->now), number);
  const unsigned first = blockIdx.x % columns * 32;
  const unsigned count = smaller(32, a.negative_count - first);
  const unsigned lane = threadIdx.x % 32;
  Number sum = 0;
  for (unsigned p = group.begin + threadIdx.x / 32; lane < count && p < group.end; p += kWarps) {
    const unsigned long long query = static_cast<unsigned>(a.relation_keys.sorted[p]);
    sum += a.scores[query * a.negative_count + first + lane];
  }
  sums[threadIdx.x / 32][lane] = sum;
  __syncthreads();
  if (threadIdx.x >= count) return;
  Number factor = 0;
  for (unsigned w = 0; w < kWarps; ++w) factor -= 2 * sums[w][lane];
  a.norms[static_cast<unsigned long long>(number) * a.negative_count + first + lane] = factor;
}

// Of a chunk's groups those that a block adds up: each whose place among them has the rest `part`
// by a.space_parts.
struct GroupList {
  static constexpr unsigned kMost = 2 * kPairThreads;
  unsigned numbers[kMost];
  unsigned relations[kMost];
  unsigned of_warp[kPairThreads / 32];

  // Of the first `count` groups of a chunk.
  static __device__ __forceinline__ unsigned own(const Bound& a, unsigned part, unsigned count) {
    return (count + a.space_parts - 1 - part) / a.space_parts;
  }
  // Lists groups first .. first + kMost - 1, `found` being those of the chunk before; returns their
  // number.
  __device__ __forceinline__ unsigned list(const Bound& a, const Batch& batch, unsigned chunk,
                                           unsigned part, unsigned first, unsigned& found) {
    const unsigned before = own(a, part, found);
    const unsigned end = smaller(a.groups[0], first + kMost);
    for (unsigned begin = first; begin < end; begin += kPairThreads) {
      const unsigned number = begin + threadIdx.x;
      Group group;
      if (number < end) group = Group(a, batch, number);
      const bool is_own = number < end && group.chunk == chunk;
      const unsigned votes = __ballot_sync(~0u, is_own);
      __syncthreads();
      if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = static_cast<unsigned>(__popc(votes));
      __syncthreads();
      unsigned rank = found + static_cast<unsigned>(__popc(votes & ((1u << threadIdx.x % 32) - 1)));
      for (unsigned w = 0; w < kPairThreads / 32; ++w) {
        if (w < threadIdx.x / 32) rank += of_warp[w];
        found += of_warp[w];
      }
      if (!is_own || rank % a.space_parts != part) continue;
      numbers[rank / a.space_parts - before] = number;
      relations[rank / a.space_parts - before] = group.relation;
    }
    __syncthreads();
    return own(a, part, found) - before;
  }
};

// A block's part of the derivatives by kSpaceRows negatives of a chunk, kWideColumns numbers: what
// those by their images come to over groups of the chunk.
struct NegativeTile {
  using Rows = LaneStage<kSpaceRows>;
  using Columns = TermStage<kWideColumns>;

  const Bound& a;
  unsigned first_row;
  unsigned first_column;

  // The groups of a list.
  __device__ __forceinline__ void add(const GroupList& list, unsigned count, Number* space,
                                      SpaceTile& tile) const {
    Rows rows;
    Columns columns;
    const unsigned stages = whole_units(a.dim, kDepth);  // of a group
    const unsigned row = first_row + Rows::lane(0);
    tile.add_stages(
        rows, columns, count * stages, a.dim - first_column, space,
        [&](unsigned stage, Rows& to_rows, Columns& to_columns) {
          const unsigned n = stage / stages;
          const unsigned first = stage % stages * kDepth;
          const unsigned long long image =
              static_cast<unsigned long long>(list.numbers[n]) * a.negative_count + row;
          const Number* const matrix = matrix_of(a, list.relations[n]);
          to_rows.fetch([&](unsigned, unsigned, unsigned term) {
            return row < a.negative_count ? read_image(image, first + term) : Four{};
          });
          to_columns.fetch([&](unsigned, unsigned term, unsigned lane) {
            const unsigned i = first + term;
            const unsigned k = first_column + lane;
            return i < a.dim ? read_four(row_of(matrix, i, a.dim) + k, behind(k, a.dim)) : Four{};
          });
        },
        [&](unsigned stage) { return smaller(kDepth, a.dim - stage % stages * kDepth); },
        Unweighted());
  }
  // What is derived by an image.
  __device__ __forceinline__ Four read_image(unsigned long long image, unsigned k) const {
    const Number factor = a.norms[image];
    Four four = read_four(a.negative_images + image * a.dim + k, behind(k, a.dim));
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) four.at[n] *= factor;
    return four;
  }
};

// A block: NegativeTile, a.space_parts of the same numbers side by side.
VECC_KG_FN void differentiate_negatives(const Bound& a) {
  __shared__ __align__(32) Number space[SpaceTile::kSpace];
  __shared__ GroupList list;
  const unsigned part = blockIdx.x % a.space_parts;
  const unsigned number = blockIdx.x / a.space_parts;
  const unsigned columns = whole_units(a.dim, kWideColumns);
  const unsigned rows = whole_units(a.negative_count, kSpaceRows);
  const unsigned chunk = number / (columns * rows);
  const Batch batch(a, a.state->now);
  if (chunk >= batch.chunks) return;
  const NegativeTile of = {a, number / columns % rows * kSpaceRows,
                           number % columns * kWideColumns};
  SpaceTile tile;
  unsigned found = 0;
  for (unsigned first = 0; first < a.groups[0]; first += GroupList::kMost) {
    const unsigned count = list.list(a, batch, chunk, part, first, found);
    of.add(list, count, space, tile);
    __syncthreads();
  }
  const unsigned long long negatives =
      static_cast<unsigned long long>(a.most_chunks) * part + chunk;
  write_tile(tile, a.by_negative_parts + negatives * a.negative_count * a.dim, of.first_row,
             a.negative_count, of.first_column, a);
}

// A block a negative: adds all parts of the derivative by it.
VECC_KG_FN void add_negative_parts(const Bound& a) {
  const unsigned long long negatives =
      static_cast<unsigned long long>(a.most_chunks) * a.negative_count;
  if (blockIdx.x >= Batch(a, a.state->now).chunks * a.negative_count) return;
  for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) {
    Number sum = 0;
    for (unsigned part = 0; part < a.query_parts; ++part) {
      sum += a.by_negative[(part * negatives + blockIdx.x) * a.dim + k];
    }
#pragma unroll 8
    for (unsigned part = 0; part < a.space_parts; ++part) {
      sum += a.by_negative_parts[(part * negatives + blockIdx.x) * a.dim + k];
    }
    row_of(a.by_negative, blockIdx.x, a.dim)[k] = sum;
  }
}

}  // namespace vecc_kernel
#endif
