#include "src/kg/cuda/device_score.h"

#include <algorithm>
#include <utility>

namespace vecc::kg {
namespace {

std::uint32_t size_of(const TermPtr& column) {
  return static_cast<std::uint32_t>(column->shape.size());
}

TermPtr filled_up(const TermPtr& column, std::uint32_t width) {
  const std::uint32_t more = width - size_of(column);
  if (more == 0) return column;
  const TermPtr parts[] = {column, filled_term(0, more)};
  return column_term(parts);
}

}  // namespace

DeviceScore device_score(ScoreFormula formula) {
  DeviceScore score;
  score.sides = split_questions(formula, SplitInputs::Parameters);
  score.formula = std::move(formula);
  for (const SplitScore& side : score.sides) {
    score.width = std::max({score.width, size_of(side.query), size_of(side.answer)});
  }
  for (SplitScore& side : score.sides) {
    side.query = filled_up(side.query, score.width);
    side.answer = filled_up(side.answer, score.width);
    const bool is_row = side.answer_is_row && size_of(side.answer) == score.formula.entity_width &&
                        side.answer->node.kind == ExprNode::Kind::Input;
    score.makes_answers = score.makes_answers || score.is_pairwise() || !is_row;
  }
  return score;
}

}  // namespace vecc::kg
