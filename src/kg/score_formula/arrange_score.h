// Rearranges a score so that operands of one side stand together.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "src/kg/score_formula/term.h"

namespace vecc::kg {

/// What a part of a score reads. A part of both is computed for each pair.
enum class ScoreSide : std::uint8_t { Neither = 0, Query = 1, Answer = 2, Both = 3 };

class ScoreArranger {
 public:
  /// By input of the score; Neither: shared.
  explicit ScoreArranger(std::vector<ScoreSide> sides) : sides_(std::move(sides)) {}

  [[nodiscard]] ScoreSide side_of(const TermPtr& term);
  /// The same value. Sums and products of entries are flat: one operand of Query, one of Answer,
  /// others of Both; so are chains of matrices. Sums of entries, and products of a row and a
  /// column, are taken through sums.
  [[nodiscard]] TermPtr arrange(const TermPtr& term);

 private:
  [[nodiscard]] TermPtr arrange_sum(const TermPtr& term);
  [[nodiscard]] TermPtr arrange_entries(const TermPtr& term);
  [[nodiscard]] TermPtr arrange_product(const TermPtr& term);
  [[nodiscard]] TermPtr arrange_dot(const TermPtr& row, const TermPtr& column);
  [[nodiscard]] TermPtr group(Combination combination, const std::vector<TermPtr>& operands);

  std::vector<ScoreSide> sides_;
  std::map<TermPtr, ScoreSide> known_;
};

/// term * factor, entry by entry, without factors of 1 and chains of constants.
[[nodiscard]] TermPtr scaled_term(double factor, const TermPtr& term);

}  // namespace vecc::kg
