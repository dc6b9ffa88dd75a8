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
// q = M x + r.
VECC_KG_FN void make_images(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  multiply_runs(
      a, batch, number, [](bool) { return false; },
      [&](unsigned query, unsigned k) { return anchor_number(a, number, query, k); },
      [&](unsigned query, unsigned k, Number sum) {
        row_of(a.images, query, a.dim)[k] =
            sum + sign_of(batch, query) * relation_number(a, query, k);
      });
}
// d = M (x - e) + r.
VECC_KG_FN void make_differences(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  multiply_runs(
      a, batch, number, [](bool) { return false; },
      [&](unsigned query, unsigned k) { return difference_number(a, batch, number, query, k); },
      [&](unsigned query, unsigned k, Number sum) {
        row_of(a.differences, query, a.dim)[k] =
            sum + sign_of(batch, query) * relation_number(a, query, k);
      });
}
// v = 2 M^T q.
VECC_KG_FN void make_vectors(const Bound& a) {
  const unsigned number = a.state->now;
  multiply_runs(
      a, Batch(a, number), number, [](bool) { return true; },
      [&](unsigned query, unsigned k) { return row_of(a.images, query, a.dim)[k]; },
      [&](unsigned query, unsigned k, Number sum) {
        row_of(a.queries, query, a.dim)[k] = 2 * sum;
      });
}
// dq = 2 (M dv - db q); d becomes the derivative by it; both pass on to r.
VECC_KG_FN void differentiate_images(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  multiply_runs(
      a, batch, number, [](bool) { return false; },
      [&](unsigned query, unsigned k) { return row_of(a.by_query, query, a.dim)[k]; },
      [&](unsigned query, unsigned k, Number sum) {
        const Number dq = 2 * (sum - a.by_bias[query] * row_of(a.images, query, a.dim)[k]);
        Number& d = row_of(a.differences, query, a.dim)[k];
        d *= -2 * a.positives[query];
        row_of(a.by_image, query, a.dim)[k] = dq;
        row_of(a.by_relation, query, a.dim)[k] = sign_of(batch, query) * (dq + d);
      });
}
// M^T (dq + dd).
VECC_KG_FN void differentiate_anchors(const Bound& a) {
  const unsigned number = a.state->now;
  multiply_runs(
      a, Batch(a, number), number, [](bool) { return true; },
      [&](unsigned query, unsigned k) {
        return row_of(a.by_image, query, a.dim)[k] + row_of(a.differences, query, a.dim)[k];
      },
      [&](unsigned query, unsigned k, Number sum) { row_of(a.by_anchor, query, a.dim)[k] = sum; });
}
// -M^T dd.
VECC_KG_FN void differentiate_answers(const Bound& a) {
  const unsigned number = a.state->now;
  multiply_runs(
      a, Batch(a, number), number, [](bool) { return true; },
      [&](unsigned query, unsigned k) { return row_of(a.differences, query, a.dim)[k]; },
      [&](unsigned query, unsigned k, Number sum) { row_of(a.by_answer, query, a.dim)[k] = -sum; });
}

// A block: a group, kTile of its negatives: their images and the squares of their lengths.
VECC_KG_FN void project_negatives(const Bound& a) {
  __shared__ __align__(32) Number m[kParts * kPlane];
  __shared__ __align__(32) Number e[kParts * kPlane];
  const unsigned columns = whole_units(a.negative_count, kTile);
  const unsigned number = blockIdx.x / columns;
  if (a.state->failed != 0 || number >= a.groups[0]) return;
  const Batch batch(a, a.state->now);
  const Group group(a, batch, number);
  const unsigned first_column = blockIdx.x % columns * kTile;
  if (first_column == 0) {
    for (unsigned p = group.begin + threadIdx.x; p < group.end; p += kPairThreads) {
      a.group_of[static_cast<unsigned>(a.relation_keys.sorted[p])] = number;
    }
  }
  const unsigned column_count = smaller(kTile, a.negative_count - first_column);
  const unsigned long long first_negative =
      static_cast<unsigned long long>(group.chunk) * a.negative_count + first_column;
  const unsigned long long place =
      static_cast<unsigned long long>(number) * a.negative_count + first_column;
  const Number* const matrix = matrix_of(a, group.relation);
  const TilePlace at;
  Number squares[kSide] = {};
  for (unsigned first = 0; first < a.dim; first += kTile) {
    Number sums[kSide][kSide][1] = {};
    const auto row = [&](unsigned i) { return row_of(matrix, first + i, a.dim); };
    const auto negative = [&](unsigned i) { return negative_row(a, first_negative + i); };
    const unsigned row_count = smaller(kTile, a.dim - first);
    add_pair_sums<TileKind::Projection>(row, row_count, negative, column_count, a.dim, at, m, e,
                                        sums);
    for (unsigned j = 0; at.group == 0 && j < kSide && at.column + j < column_count; ++j) {
      Number* const image = a.negative_images + (place + at.column + j) * a.dim + first;
      for (unsigned i = 0; i < kSide && at.row + i < row_count; ++i) {
        image[at.row + i] = sums[i][j][0];
        squares[j] = multiply_add(sums[i][j][0], sums[i][j][0], squares[j]);
      }
    }
    __syncthreads();
  }
  if (at.group == 0) {
    for (unsigned j = 0; j < kSide; ++j) m[at.row / kSide * kTile + at.column + j] = squares[j];
  }
  __syncthreads();
  if (threadIdx.x >= column_count) return;
  Number norm = 0;
  for (unsigned i = 0; i < kTile / kSide; ++i) norm += m[i * kTile + threadIdx.x];
  a.norms[place + threadIdx.x] = norm;
}

// A block: a group, kTile of its negatives, whose images become the derivatives by them: each score
// of the group's queries has -|M e|^2.
VECC_KG_FN void differentiate_norms(const Bound& a) {
  constexpr unsigned kWarps = kPairThreads / 32;
  __shared__ Number sums[kWarps][kTile];
  const unsigned columns = whole_units(a.negative_count, kTile);
  const unsigned number = blockIdx.x / columns;
  if (number >= a.groups[0]) return;
  const Group group(a, Batch(a, a.state->now), number);
  const unsigned first_column = blockIdx.x % columns * kTile;
  const unsigned column_count = smaller(kTile, a.negative_count - first_column);
  const unsigned lane = threadIdx.x % 32;
  Number sum = 0;
  for (unsigned p = group.begin + threadIdx.x / 32; lane < column_count && p < group.end;
       p += kWarps) {
    const unsigned long long query = static_cast<unsigned>(a.relation_keys.sorted[p]);
    sum += a.scores[query * a.negative_count + first_column + lane];
  }
  sums[threadIdx.x / 32][lane] = sum;
  __syncthreads();
  const unsigned long long place =
      static_cast<unsigned long long>(number) * a.negative_count + first_column;
  for (unsigned j = threadIdx.x / 32; j < column_count; j += kWarps) {
    Number factor = 0;
    for (unsigned w = 0; w < kWarps; ++w) factor -= 2 * sums[w][j];
    Number* const image = a.negative_images + (place + j) * a.dim;
    for (unsigned k = lane; k < a.dim; k += 32) image[k] *= factor;
  }
}

// Numbers of negatives as sums over rows of matrices.
using NegativeTile = GradientTile<true, true>;

// Adds the products of kTile rows of images with kTile columns of a matrix.
VECC_KG_FN void add_group_tile(const Bound& a, const Number* images, unsigned row_count,
                               const Number* matrix, unsigned first, const TilePlace& at,
                               const NegativeTile::Own& own, Number* c, Number* o,
                               NegativeTile::Sums& sums, Number (&totals)[kSide]) {
  for (unsigned begin = 0; begin < a.dim; begin += kTile) {
    const unsigned count = smaller(kTile, a.dim - begin);
    NegativeTile::Stage stage;
    for (unsigned n = 0; n < kSide; ++n) {
      const unsigned row = Fetched::line() + n;
      stage.c[n] = row < row_count && Fetched::lane() < count
                       ? row_of(images, row, a.dim)[begin + Fetched::lane()]
                       : Number(0);
    }
    const auto line = [&](unsigned i) { return row_of(matrix, begin + i, a.dim); };
    stage.others.fetch(line, first, count, a.dim);
    __syncthreads();
    NegativeTile::put(stage, c, o);
    __syncthreads();
    NegativeTile::add(at, c, o, own, sums, totals);
  }
}

// A block: kTile numbers of kTile negatives of a chunk, to whose derivatives those by their images
// are added, over the chunk's groups.
VECC_KG_FN void differentiate_negatives(const Bound& a) {
  using Tile = NegativeTile;
  __shared__ __align__(32) Number c[kPlane];
  __shared__ __align__(32) Number o[kParts * kPlane];
  __shared__ bool is_own[kPairThreads];
  const unsigned columns = whole_units(a.dim, kTile);
  const unsigned rows = whole_units(a.negative_count, kTile);
  const unsigned chunk = blockIdx.x / (columns * rows);
  const Batch batch(a, a.state->now);
  if (chunk >= batch.chunks) return;
  const unsigned first_row = blockIdx.x / columns % rows * kTile;
  const unsigned row_count = smaller(kTile, a.negative_count - first_row);
  const unsigned first = blockIdx.x % columns * kTile;
  const TilePlace at;
  const Tile::Own own = {};
  Tile::Sums sums = {};
  Number totals[kSide] = {};
  const unsigned count = a.groups[0];
  for (unsigned base = 0; base < count; base += kPairThreads) {
    const unsigned tested = base + threadIdx.x;
    __syncthreads();
    is_own[threadIdx.x] = tested < count && Group(a, batch, tested).chunk == chunk;
    __syncthreads();
    for (unsigned n = 0; n < smaller(kPairThreads, count - base); ++n) {
      if (!is_own[n]) continue;
      const Group group(a, batch, base + n);
      const unsigned long long images =
          static_cast<unsigned long long>(base + n) * a.negative_count + first_row;
      add_group_tile(a, a.negative_images + images * a.dim, row_count, matrix_of(a, group.relation),
                     first, at, own, c, o, sums, totals);
    }
  }
  add_groups<kParts>(sums, at, o);
  if (at.group != 0) return;
  for (unsigned i = 0; i < kSide && at.row + i < row_count; ++i) {
    const unsigned long long negative =
        static_cast<unsigned long long>(chunk) * a.negative_count + first_row + at.row + i;
    Number* const out = a.by_negative + negative * a.dim + first + at.column;
    for (unsigned j = 0; j < kSide && first + at.column + j < a.dim; ++j) out[j] += sums[i][j][0];
  }
}

}  // namespace vecc_kernel
#endif
