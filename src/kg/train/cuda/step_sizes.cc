#include "src/kg/train/cuda/step_sizes.h"

#include <string>

#include "src/kg/query_formula.h"

namespace vecc::kg {
namespace {

std::uint64_t whole_units(std::uint64_t n, std::uint64_t unit) {
  return (n + unit - 1) / unit;
}

// Into enough parts for `enough` blocks, however many multiprocessors a GPU has, but of no fewer
// than `least` negatives; `blocks`: where they are in one part.
void split_negatives(std::uint64_t blocks, std::uint64_t enough, std::uint64_t least,
                     StepSizes& s) {
  const std::uint64_t splits =
      std::clamp<std::uint64_t>(whole_units(enough, blocks), 1, whole_units(s.negatives, least));
  s.split_negatives = whole_units(whole_units(s.negatives, splits), 32) * 32;
  s.negative_splits = whole_units(s.negatives, s.split_negatives);
}

// Blocks of few pairs, so that many are there: a kernel's begin while the one before ends, wherever
// a multiprocessor has room, and only the next ones even that out.
void split_gradients(const StepKinds& kinds, std::uint64_t query_parts, StepSizes& s) {
  s.query_parts = query_parts;
  if (kinds.has_spaces()) return;  // products read whole sums
  const std::uint64_t numbers = kinds.sum == TileKind::ComplexL1 ? s.width / 2 : s.width;
  split_negatives(s.chunks * query_parts * whole_units(numbers, 32), 800, 64, s);
}

// Derivatives by queries, whose terms are negatives.
void split_products(const StepKinds& kinds, StepSizes& s) {
  if (kinds.is_formula() || kinds.has_spaces()) return;  // what comes then reads whole sums
  constexpr std::uint64_t kEnough = 264;                 // blocks
  constexpr std::uint64_t kLeast = 256;                  // negatives
  const std::uint64_t rows = s.chunks * whole_units(s.chunk, device::kGroupRows);
  split_negatives(rows * whole_units(s.width, 2 * kinds.group_columns), kEnough, kLeast, s);
}

// Of products: large tiles read a row less often; where they would be few, blocks of small ones are
// more, and each of a block's warps has fewer terms.
std::uint32_t score_side(const StepSizes& s) {
  constexpr std::uint64_t kEnough = 200;
  constexpr std::uint32_t kLarge = device::kPairSide;
  const std::uint64_t blocks =
      s.chunks * whole_units(s.chunk, kLarge) * whole_units(s.negatives, kLarge);
  return blocks < kEnough ? kLarge / 2 : kLarge;
}

}  // namespace

StepSizes step_sizes(const StepKinds& kinds, const TripleTrainOptions& o, std::uint64_t triples,
                     std::uint64_t entities, std::uint64_t relations, const DeviceScore* score) {
  StepSizes s;
  s.entities = entities;
  s.relations = relations;
  if (score == nullptr) {
    s.dim = s.width = o.dim * info_of(o.model).entities.size();
    s.relation_width = relation_width(o.model, s.dim);
  } else {
    s.dim = score->formula.entity_width;
    s.relation_width = score->formula.relation_width;
    s.width = score->width;
    s.shared_width = score->formula.shared_width;
  }
  s.triples = triples;
  s.batch_size = o.batch_size == 0 ? triples : std::min<std::uint64_t>(o.batch_size, triples);
  s.batches = whole_units(triples, s.batch_size);
  s.chunk =
      kinds.draws_all ? s.batch_size : std::min<std::uint64_t>(o.negatives.chunk, s.batch_size);
  s.negatives = kinds.draws_all ? entities : o.negatives.count;
  const bool both = kinds.sides == device::Sides::Both;
  s.queries = both ? 2 * s.batch_size : s.batch_size;
  s.chunks = whole_units(s.batch_size, s.chunk) * (both ? 2 : 1);
  if (kinds.sides == device::Sides::Mixed) ++s.chunks;  // both sides may end in a part of one
  // More parts would take more memory than the scores; kernels of a user's score read whole sums.
  constexpr std::uint64_t kMostParts = 8;
  const std::uint64_t parts = whole_units(s.chunk, device::kJointQueries);
  s.is_joint = !kinds.is_formula() && !kinds.is_product() && parts <= kMostParts;
  s.split_negatives = s.negatives;
  if (s.is_joint) split_gradients(kinds, parts, s);
  if (kinds.is_product()) split_products(kinds, s);
  s.score_side = score_side(s);
  s.space_columns = kinds.space_columns;
  return s;
}

std::uint64_t StepSizes::space_parts() const {
  constexpr std::uint64_t kBlocks = 512;  // some for each multiprocessor
  const std::uint64_t tiles =
      chunks * whole_units(negatives, device::kSpaceRows) * whole_units(dim, space_columns);
  const std::uint64_t most =
      std::min({kBlocks / std::max<std::uint64_t>(tiles, 1), chunk, relations});
  return std::max<std::uint64_t>(most, 1);
}

namespace {

// Of scores and of derivatives by both sides of pairs.
void set_pair_grids(const StepKinds& kinds, const StepSizes& s, StepGrids& g) {
  using namespace device;
  const std::uint64_t query_tiles = s.chunks * whole_units(s.chunk, kTile);
  const std::uint64_t negative_tiles = s.chunks * whole_units(s.negatives, kTile);
  const std::uint64_t numbers = kinds.sum == TileKind::ComplexL1 ? s.width / 2 : s.width;
  const std::uint64_t query_rows = s.chunks * whole_units(s.chunk, kGroupRows);
  const std::uint64_t negative_rows = s.chunks * whole_units(s.negatives, kGroupRows);
  const auto product_gradients = [&](std::uint64_t splits) {
    return (query_rows * splits + negative_rows) * whole_units(s.width, 2 * kinds.group_columns);
  };
  g.scores = query_tiles * whole_units(s.negatives, kTile);
  g.gradients =
      (s.is_joint ? s.chunks * s.query_parts * s.negative_splits : query_tiles + negative_tiles) *
      whole_units(numbers, kTile);
  g.plane_scores = g.scores;
  g.plane_gradients = g.gradients;
  if (kinds.has_product_tiles) {
    g.plane_scores =
        s.chunks * whole_units(s.chunk, s.score_side) * whole_units(s.negatives, s.score_side);
    g.plane_gradients = product_gradients(1);
  }
  if (kinds.is_product()) {
    g.scores = g.plane_scores;
    g.gradients = product_gradients(s.negative_splits);
  }
}

}  // namespace

Result<StepGrids> step_grids(const StepKinds& kinds, const StepSizes& s) {
  using namespace device;
  if (s.negatives >= 1u << 30) {  // a row of scores has its bytes in 32 bits
    return Errors(ErrorCode::LimitShape, "--negatives",
                  "found " + std::to_string(s.negatives) +
                      " entities in a chunk, the limit is 2^30 - 1: fewer are drawn by "
                      "--negatives=N");
  }
  StepGrids g;
  const auto lists = [&](std::uint64_t keys) {
    return whole_units(s.parts(), keys) + whole_units(s.queries, keys);
  };
  g.begin = s.queries + whole_units(s.drawn(), kRowThreads);
  if (kinds.is_formula()) {
    g.slots = whole_units(std::max({s.queries, s.drawn(), std::uint64_t{kSumSpans}}), kRowThreads);
    g.shared = whole_units(s.shared_width, kRowThreads);
    if (kinds.drops_entities || kinds.drops_relations) g.drop = s.parts();
  } else if (kinds.drops_entities) {
    g.drop = s.drawn();
  }
  g.sort = lists(kSortedRun);
  g.merge = lists(kMergeThreads / kMergedRuns);
  for (std::uint64_t run = kSortedRun; run < s.parts(); run *= kMergedRuns) ++g.passes;
  set_pair_grids(kinds, s, g);
  g.losses = whole_units(s.queries, kLossThreads / 32);
  g.spread = s.queries;
  g.rows = kinds.moves_all ? s.entities : s.parts();
  if (kinds.has_matrices()) {
    g.products = s.runs() * whole_units(s.dim, kWideColumns);
    const std::uint64_t parts =
        whole_units(s.dim, kinds.matrix_rows) * whole_units(s.dim, kinds.matrix_columns);
    g.matrices = (kinds.moves_all ? s.relations : std::min(s.relations, s.queries)) * parts;
  }
  if (!kinds.has_matrices() || kinds.has_spaces()) {
    g.rows += kinds.moves_all ? s.relations : s.queries;
  }
  std::uint64_t terms = 0;  // of a matrix's derivative
  if (kinds.has_spaces()) {
    g.images = s.groups() * whole_units(s.negatives, kSpaceRows);
    g.norms = s.groups() * whole_units(s.negatives, 32);
    g.negatives = s.chunks * whole_units(s.negatives, kSpaceRows) *
                  whole_units(s.dim, s.space_columns) * s.space_parts();
    g.negative_parts = s.drawn();
    terms = 3 * s.queries + s.groups() * s.negatives;
  }
  const std::uint64_t most = std::max(
      {g.begin, g.drop, g.merge, g.scores, g.gradients, g.plane_scores, g.plane_gradients, g.rows,
       g.products, g.matrices, g.images, g.norms, g.negatives, terms, s.parts() + 1});
  if (most < 0x7FFFFFFF) return g;
  return Errors(ErrorCode::LimitShape, "--backend=cuda",
                "a step has " + std::to_string(most) +
                    " blocks or gradients of rows, the limit is 2^31 - 2: a smaller --batch-size "
                    "has fewer");
}

}  // namespace vecc::kg
