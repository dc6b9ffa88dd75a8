#include "src/kg/train/cuda/step_kinds.h"

#include <string_view>

#include "src/kernel/group_product.h"
#include "src/kg/formula_vectors.h"
#include "src/kg/query_formula.h"
#include "src/kg/train/learned_rows.h"

namespace vecc::kg {
namespace {

// Put together when the build is configured.
constexpr std::string_view kStepText =
#include "step_text.inc"
    ;

device::Sides sides_of(Corruption corruption) {
  switch (corruption) {
    case Corruption::Both: return device::Sides::Both;
    case Corruption::Head: return device::Sides::Head;
    case Corruption::Tail: return device::Sides::Tail;
    case Corruption::Bernoulli: break;
  }
  return device::Sides::Mixed;
}

// The fewest blocks, of as few columns as these need: for so many threads have registers, so that a
// multiprocessor holds two blocks.
std::uint32_t group_columns_of(std::uint32_t width) {
  constexpr std::uint32_t kMost = 56;
  constexpr std::uint32_t kUnit = 2 * 8;  // of two warpgroups
  const std::uint32_t blocks = (width + 2 * kMost - 1) / (2 * kMost);
  return (width + kUnit * blocks - 1) / (kUnit * blocks) * 8;
}

// Of those that a thread has registers for, what leaves fewer of a block's rows empty.
std::uint32_t matrix_rows(std::uint32_t dim) {
  const auto rows = [&](std::uint32_t of_block) {
    return (std::uint64_t{dim} + of_block - 1) / of_block * of_block;
  };
  return rows(40) < rows(64) ? 40 : 64;
}

}  // namespace

void StepKinds::use_tensor_cores(int capability) {
  const bool multiplies = (sum == TileKind::Product && !is_pairwise) || has_planes();
  has_product_tiles = multiplies && dtype == DType::F32 && capability >= 80;
  has_split_tiles = has_spaces() && dtype == DType::F32 && capability >= 80;
  group_columns = group_columns_of(width);
  if (!has_split_tiles) return;
  space_columns = 2 * group_columns;
  if (!has_split_matrices()) return;
  matrix_columns = space_columns;
  matrix_rows = device::kSpaceRows;
}

StepKinds step_kinds(const TripleTrainOptions& o, const DeviceScore* score) {
  StepKinds kinds;
  kinds.dtype = o.dtype;
  kinds.model = o.model;
  if (score == nullptr) {
    kinds.sum = query_tile_kind(o.model, o.p);
  } else {
    kinds.is_pairwise = score->is_pairwise();
    kinds.makes_answers = score->makes_answers;
    kinds.sum = kinds.is_pairwise ? TileKind::Product : tile_kind_of(score->sides[0].kind);
  }
  kinds.loss = o.loss.loss;
  kinds.optimizer = row_optimizer(o.optimizer.optimizer);
  kinds.labels = o.negatives.labels;
  kinds.sides = kinds.labels ? device::Sides::Mixed : sides_of(o.negatives.corruption);
  kinds.moves_all = o.optimizer.optimizer == Optimizer::Adam;
  kinds.draws_all = o.negatives.count == 0;
  kinds.by_degree = o.negatives.draw == NegativeDraw::Degree;
  kinds.filters = o.negatives.filtered;
  kinds.regularizes = o.regularizer.l2 != 0 || o.regularizer.n3 != 0;
  kinds.constrains = o.regularizer.constraints != 0;
  kinds.drops_entities = o.dropout.entities != 0;
  kinds.drops_relations = o.dropout.relations != 0;
  kinds.has_fours = score == nullptr
                        ? o.dim % 4 == 0
                        : score->width % 4 == 0 && score->formula.entity_width % 4 == 0;
  kinds.dim = o.dim;
  kinds.width = score != nullptr
                    ? score->width
                    : static_cast<std::uint32_t>(o.dim * info_of(o.model).entities.size());
  kinds.matrix_rows = matrix_rows(o.dim);
  return kinds;
}

std::string step_text(const StepKinds& kinds) {
  std::string text;
  if (kinds.has_product_tiles) text += group_product_text(kinds.group_columns);
  const auto define = [&](const char* name, const std::string& value) {
    text += std::string("#define VECC_KG_") + name + " " + value + "\n";
  };
  const auto number = [](auto kind) { return std::to_string(static_cast<unsigned>(kind)); };
  define("NUMBER", kinds.dtype == DType::F64 ? "double" : "float");
  define("MODEL", number(kinds.model));
  define("KIND", number(kinds.sum));
  define("LOSS", number(kinds.loss));
  define("OPTIMIZER", number(kinds.optimizer));
  define("SIDES", number(kinds.sides));
  define("MOVES_ALL", number(kinds.moves_all));
  define("DRAWS_ALL", number(kinds.draws_all));
  define("BY_DEGREE", number(kinds.by_degree));
  define("FILTERS", number(kinds.filters));
  define("LABELS", number(kinds.labels));
  define("REGULARIZES", number(kinds.regularizes));
  define("CONSTRAINS", number(kinds.constrains));
  define("HAS_SPACES", number(kinds.has_spaces()));
  define("HAS_PLANES", number(kinds.has_planes()));
  define("DROPS_ENTITIES", number(kinds.drops_entities));
  define("DROPS_RELATIONS", number(kinds.drops_relations));
  define("IS_FORMULA", number(kinds.is_formula()));
  define("MAKES_ANSWERS", number(kinds.makes_answers));
  define("IS_PAIRWISE", number(kinds.is_pairwise));
  define("HAS_MATRICES", number(kinds.has_matrices()));
  define("HAS_PRODUCT_TILES", number(kinds.has_product_tiles));
  define("SCORE_SIDE", std::to_string(kinds.has_product_tiles ? kinds.score_side : 0));
  define("GROUP_COLUMNS", std::to_string(kinds.group_columns));
  define("IS_PRODUCT", number(kinds.is_product()));
  define("IS_JOINT", number(kinds.is_joint));
  define("HAS_FOURS", number(kinds.has_fours));
  define("HAS_SPLIT_TILES", number(kinds.has_split_tiles));
  define("HAS_SPLIT_MATRICES", number(kinds.has_split_matrices()));
  define("SPACE_COLUMNS", number(kinds.space_columns));
  define("MATRIX_COLUMNS", number(kinds.matrix_columns));
  define("MATRIX_ROWS", number(kinds.matrix_rows));
  return text + std::string(kStepText);
}

}  // namespace vecc::kg
