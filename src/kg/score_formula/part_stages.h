// A part of a score in stages, for kernels whose threads have no room for large values: these lie
// in memory between two of them.
//
//     reshape[dim x dim](W @ r)^T h   becomes   s_0 = W @ r,   s_1 = reshape[dim x dim](s_0)^T h
#pragma once

#include <cstdint>
#include <vector>

#include "src/kg/score_formula/term.h"

namespace vecc::kg {

/// Numbers of a matrix, and of a vector, that are a stage of their own from here on.
inline constexpr std::size_t kStageMatrix = 257;
inline constexpr std::size_t kStageVector = 4097;

/// What stages read of an earlier one: all of its numbers, row-major, in a shape. Of each stage but
/// the last there is one.
struct StageRead {
  std::uint32_t stage = 0;
  Shape shape;
};

struct PartStages {
  std::vector<TermPtr> stages;   ///< the last one is the part
  std::vector<StageRead> reads;  ///< input `inputs + i` of stages
};

/// `inputs`: of the part.
[[nodiscard]] PartStages stages_of(const TermPtr& part, std::uint32_t inputs);

}  // namespace vecc::kg
