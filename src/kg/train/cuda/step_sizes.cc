#include "src/kg/train/cuda/step_sizes.h"

#include <string>

#include "src/kg/query_formula.h"

namespace vecc::kg {
namespace {

std::uint64_t whole_units(std::uint64_t n, std::uint64_t unit) {
  return (n + unit - 1) / unit;
}

}  // namespace

// Blocks of few pairs, so that many are there: a kernel's begin while the one before ends, wherever
// a multiprocessor has room, and only the next ones even that out. However many a GPU has.
void split_gradients(const StepKinds& kinds, std::uint64_t query_parts, StepSizes& s) {
  constexpr std::uint64_t kBlocks = 800;
  constexpr std::uint64_t kLeast = 64;  // negatives
  s.query_parts = query_parts;
  if (kinds.has_spaces()) return;  // products read whole sums
  const std::uint64_t numbers = kinds.sum == TileKind::ComplexL1 ? s.width / 2 : s.width;
  const std::uint64_t blocks = s.chunks * query_parts * whole_units(numbers, 32);
  const std::uint64_t splits =
      std::clamp<std::uint64_t>(whole_units(kBlocks, blocks), 1, whole_units(s.negatives, kLeast));
  s.split_negatives = whole_units(whole_units(s.negatives, splits), 32) * 32;
  s.negative_splits = whole_units(s.negatives, s.split_negatives);
}

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
  s.is_joint = !kinds.is_formula() && parts <= kMostParts;
  s.split_negatives = s.negatives;
  if (s.is_joint) split_gradients(kinds, parts, s);
  return s;
}

std::uint64_t StepSizes::space_parts() const {
  constexpr std::uint64_t kBlocks = 512;  // some for each multiprocessor
  const std::uint64_t tiles =
      chunks * whole_units(negatives, device::kSpaceRows) * whole_units(dim, device::kWideColumns);
  const std::uint64_t most =
      std::min({kBlocks / std::max<std::uint64_t>(tiles, 1), chunk, relations});
  return std::max<std::uint64_t>(most, 1);
}

Result<StepGrids> step_grids(const StepKinds& kinds, const StepSizes& s) {
  using namespace device;
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
  const std::uint64_t query_tiles = s.chunks * whole_units(s.chunk, kTile);
  const std::uint64_t negative_tiles = s.chunks * whole_units(s.negatives, kTile);
  const std::uint64_t numbers = kinds.sum == TileKind::ComplexL1 ? s.width / 2 : s.width;
  g.scores = query_tiles * whole_units(s.negatives, kTile);
  g.losses = whole_units(s.queries, kLossThreads / 32);
  g.gradients =
      (s.is_joint ? s.chunks * s.query_parts * s.negative_splits : query_tiles + negative_tiles) *
      whole_units(numbers, kTile);
  g.spread = s.queries;
  g.rows = kinds.moves_all ? s.entities : s.parts();
  if (kinds.has_matrices()) {
    g.products = s.runs() * whole_units(s.dim, kWideColumns);
    const std::uint64_t parts =
        whole_units(s.dim, kinds.matrix_rows) * whole_units(s.dim, kWideColumns);
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
                  whole_units(s.dim, kWideColumns) * s.space_parts();
    g.negative_parts = s.drawn();
    terms = 3 * s.queries + s.groups() * s.negatives;
  }
  const std::uint64_t most =
      std::max({g.begin, g.drop, g.merge, g.scores, g.gradients, g.rows, g.products, g.matrices,
                g.images, g.norms, g.negatives, terms, s.parts() + 1});
  if (most < 0x7FFFFFFF) return g;
  return Errors(ErrorCode::LimitShape, "--backend=cuda",
                "a step has " + std::to_string(most) +
                    " blocks or gradients of rows, the limit is 2^31 - 2: a smaller --batch-size "
                    "has fewer");
}

}  // namespace vecc::kg
