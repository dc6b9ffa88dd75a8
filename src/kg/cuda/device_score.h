// A user's score as a GPU's step computes it.
#pragma once

#include <array>
#include <cstdint>

#include "src/kg/score_formula/split_score.h"

namespace vecc::kg {

struct DeviceScore {
  ScoreFormula formula;
  /// By whether the tail is asked for, of SplitInputs::Parameters. q and e of both are as long:
  /// shorter ones end with zeros.
  std::array<SplitScore, 2> sides;
  std::uint32_t width = 0;  ///< numbers of q and e
  /// Whether e has to be computed; else it is an entity's row as it is, on both sides.
  bool makes_answers = false;

  [[nodiscard]] bool is_pairwise() const { return sides[0].kind == PairKind::Other; }
};

[[nodiscard]] DeviceScore device_score(ScoreFormula formula);

}  // namespace vecc::kg
