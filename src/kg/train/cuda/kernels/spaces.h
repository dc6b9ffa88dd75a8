// transr (src/kg/projected_query.h): products of queries with the relations' matrices, by runs of
// sorted queries; images M e of a chunk's negatives by each relation that it asks, a group, and
// what is derived by them.
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

// A block: a group, kSpaceRows of its negatives: their images and the squares of their lengths.
VECC_KG_FN void project_negatives(const Bound& a) {
  __shared__ __align__(32) Number space[ImageTile::kSpace];
  __shared__ ImageTile::Squares squares;
  const GroupNegatives negatives(a, blockIdx.x);
  if (negatives.count == 0) return;
  const ImageTile tile = {a, negatives};
  for (unsigned column = 0; column < a.dim; column += kSpaceColumns) {
    tile.project(column, space, squares);
  }
  __syncthreads();
  if (threadIdx.x < negatives.count) {
    a.norms[negatives.place + threadIdx.x] = squares.sum(threadIdx.x);
  }
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

// A block: NegativeTile, a.space_parts of the same numbers side by side.
VECC_KG_FN void differentiate_negatives(const Bound& a) {
  __shared__ __align__(32) Number space[NegativeTile::kSpace];
  __shared__ GroupList list;
  const unsigned part = blockIdx.x % a.space_parts;
  const unsigned number = blockIdx.x / a.space_parts;
  const unsigned columns = whole_units(a.dim, kSpaceColumns);
  const unsigned rows = whole_units(a.negative_count, kSpaceRows);
  const unsigned chunk = number / (columns * rows);
  const Batch batch(a, a.state->now);
  if (chunk >= batch.chunks) return;
  NegativeTile tile(a, number / columns % rows * kSpaceRows, number % columns * kSpaceColumns);
  unsigned found = 0;
  for (unsigned first = 0; first < a.groups[0]; first += GroupList::kMost) {
    const unsigned count = list.list(a, batch, chunk, part, first, found);
    tile.add(list, count, space);
    __syncthreads();
  }
  const unsigned long long negatives =
      static_cast<unsigned long long>(a.most_chunks) * part + chunk;
  tile.write(a.by_negative_parts + negatives * a.negative_count * a.dim);
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
