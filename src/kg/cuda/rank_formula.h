// A user's score in ranks on a GPU: the kernels that make q and e of a block, and scores of pairs
// where they are no sums.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/kg/cuda/formula_unit.h"
#include "src/kg/cuda/kernels/rank_arguments.h"
#include "src/kg/cuda/rank_model.h"

namespace vecc::kg {

/// One after another.
struct RankFormulaSide {
  std::vector<FormulaUnit> queries;
  std::vector<FormulaUnit> answers;  ///< where they are not the entities' rows
  std::vector<FormulaUnit> pairs;    ///< one, where scores are no sums
};
/// By whether the tail is asked for.
using RankFormula = std::array<RankFormulaSide, 2>;

/// Numbers between two kernels, of a query and of an entity.
struct RankStages {
  std::uint64_t query = 0;
  std::uint64_t answer = 0;
};
[[nodiscard]] RankStages rank_stages(const DeviceScore& score);

/// Blocks of `queries` and `entities` at most; `a` has all that is of a block. `hold`: so many
/// bytes of memory on the GPU. Errors: those of make_formula_unit(). Throws what `hold` throws.
[[nodiscard]] Result<RankFormula> make_rank_formula(
    const RankModel& model, const RankTables& tables, const device::RankArguments& a,
    std::uint64_t queries, std::uint64_t entities, const Target& target,
    const std::function<std::uint64_t(std::uint64_t)>& hold);

}  // namespace vecc::kg
