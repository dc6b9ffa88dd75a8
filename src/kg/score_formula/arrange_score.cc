#include "src/kg/score_formula/arrange_score.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace vecc::kg {
namespace {

bool is_sum(const TermPtr& term) {
  return term->is(Combination::Sum);
}

// All operands of nested calls.
void flatten(Combination combination, const TermPtr& term, std::vector<TermPtr>& operands) {
  if (!term->is(combination)) {
    operands.push_back(term);
    return;
  }
  for (const TermPtr& operand : term->operands) flatten(combination, operand, operands);
}

// Vectors of one orientation, matrices of one shape, and scalars: any order has one result.
bool any_order_fits(const std::vector<TermPtr>& operands) {
  Shape shape;
  for (const TermPtr& operand : operands) {
    if (operand->shape.is_scalar() || operand->shape == shape) continue;
    if (!shape.is_scalar()) return false;
    shape = operand->shape;
  }
  return true;
}

bool is_ones(const TermPtr& term) {
  return term->is(Transformation::Broadcast) && term->operands[0]->is_constant() &&
         term->operands[0]->node.constant == 1;
}

TermPtr transposed(const TermPtr& term) {
  if (term->is(Transformation::Transp)) return term->operands[0];
  return transform_term(Transformation::Transp, term);
}

}  // namespace

TermPtr scaled_term(double factor, const TermPtr& term) {
  if (factor == 1) return term;
  if (term->is_constant()) return constant_term(factor * term->node.constant);
  if (term->is(Combination::ElProduct) && term->operands[0]->is_constant()) {
    std::vector<TermPtr> rest(term->operands.begin() + 1, term->operands.end());
    return scaled_term(factor * term->operands[0]->node.constant,
                       combine_term(Combination::ElProduct, std::move(rest)));
  }
  return combine_term(Combination::ElProduct, {constant_term(factor), term});
}

ScoreSide ScoreArranger::side_of(const TermPtr& term) {
  if (term->node.kind == ExprNode::Kind::Input) return sides_[term->node.input];
  if (const auto found = known_.find(term); found != known_.end()) return found->second;
  auto side = static_cast<unsigned>(ScoreSide::Neither);
  for (const TermPtr& operand : term->operands) side |= static_cast<unsigned>(side_of(operand));
  return known_[term] = static_cast<ScoreSide>(side);
}

TermPtr ScoreArranger::arrange(const TermPtr& term) {
  if (side_of(term) != ScoreSide::Both) return term;
  std::vector<TermPtr> operands;
  for (const TermPtr& operand : term->operands) operands.push_back(arrange(operand));
  auto made = make_term(term->node, std::move(operands), "score");
  VECC_CHECK(made, "a part of a score that was arranged does not fit");
  if (is_sum(*made)) return arrange_sum(*made);
  if ((*made)->is(Combination::ElProduct)) return arrange_entries(*made);
  if ((*made)->is(Combination::Product)) return arrange_product(*made);
  return *made;
}

// One operand of each side, first the query's with what is of neither.
TermPtr ScoreArranger::group(Combination combination, const std::vector<TermPtr>& operands) {
  std::vector<TermPtr> of_query;
  std::vector<TermPtr> of_answer;
  std::vector<TermPtr> of_neither;
  std::vector<TermPtr> of_both;
  for (const TermPtr& operand : operands) {
    switch (side_of(operand)) {
      case ScoreSide::Neither: of_neither.push_back(operand); break;
      case ScoreSide::Query: of_query.push_back(operand); break;
      case ScoreSide::Answer: of_answer.push_back(operand); break;
      case ScoreSide::Both: of_both.push_back(operand); break;
    }
  }
  std::vector<TermPtr>& with = of_query.empty() && !of_answer.empty() ? of_answer : of_query;
  with.insert(with.begin(), of_neither.begin(), of_neither.end());
  std::vector<TermPtr> all;
  for (std::vector<TermPtr>* side : {&of_query, &of_answer}) {
    if (!side->empty()) all.push_back(combine_term(combination, std::move(*side)));
  }
  all.insert(all.end(), of_both.begin(), of_both.end());
  return combine_term(combination, std::move(all));
}

TermPtr ScoreArranger::arrange_sum(const TermPtr& term) {
  std::vector<TermPtr> operands;
  flatten(Combination::Sum, term, operands);
  return any_order_fits(operands) ? group(Combination::Sum, operands) : term;
}

TermPtr ScoreArranger::arrange_entries(const TermPtr& term) {
  std::vector<TermPtr> operands;
  flatten(Combination::ElProduct, term, operands);
  if (!any_order_fits(operands)) return term;
  double factor = 1;
  std::erase_if(operands, [&](const TermPtr& operand) {
    if (operand->is_constant()) factor *= operand->node.constant;
    return operand->is_constant();
  });
  // c (a + b) = c a + c b: a and b may be of two sides.
  if (operands.size() == 1 && is_sum(operands[0]) && factor != 1) {
    std::vector<TermPtr> scaled;
    for (const TermPtr& operand : operands[0]->operands) {
      scaled.push_back(scaled_term(factor, operand));
    }
    return combine_term(Combination::Sum, std::move(scaled));
  }
  if (factor != 1) operands.insert(operands.begin(), constant_term(factor));
  return group(Combination::ElProduct, operands);
}

TermPtr ScoreArranger::arrange_product(const TermPtr& term) {
  std::vector<TermPtr> factors;
  flatten(Combination::Product, term, factors);
  std::vector<TermPtr> scalars;
  std::vector<TermPtr> matrices;
  for (const TermPtr& factor : factors) {
    // (A B)^T = B^T A^T
    if (factor->is(Transformation::Transp) && factor->operands[0]->is(Combination::Product)) {
      std::vector<TermPtr> inner;
      flatten(Combination::Product, factor->operands[0], inner);
      const bool is_chain =
          std::ranges::none_of(inner, [](const TermPtr& each) { return each->shape.is_scalar(); });
      if (is_chain) {
        for (auto each = inner.rbegin(); each != inner.rend(); ++each) {
          matrices.push_back(transposed(*each));
        }
        continue;
      }
    }
    (factor->shape.is_scalar() ? scalars : matrices).push_back(factor);
  }
  // A scalar inside of a chain may be a product of its neighbours, which the chain then is not.
  if (!scalars.empty())
    return matrices.size() > 1 || matrices.empty() ? term : [&] {
      scalars.push_back(matrices.front());
      return arrange_entries(combine_term(Combination::ElProduct, std::move(scalars)));
    }();
  // Neighbours of one side first.
  std::vector<TermPtr> runs;
  for (const TermPtr& factor : matrices) {
    const bool joins =
        !runs.empty() && side_of(runs.back()) != ScoreSide::Both &&
        (static_cast<unsigned>(side_of(runs.back())) | static_cast<unsigned>(side_of(factor))) !=
            static_cast<unsigned>(ScoreSide::Both);
    const bool fits = joins && times_shape(runs.back()->shape, factor->shape).has_value();
    if (!fits) {
      runs.push_back(factor);
    } else {
      runs.back() = combine_term(Combination::Product, {runs.back(), factor});
    }
  }
  if (runs.size() == 2 && runs[0]->shape.rows() == 1 && runs[1]->shape.cols() == 1) {
    return arrange_dot(runs[0], runs[1]);
  }
  return combine_term(Combination::Product, std::move(runs));
}

// A row times a column. Both are taken apart where they are sums of both sides, but where they are
// the same: a square stays one.
TermPtr ScoreArranger::arrange_dot(const TermPtr& row, const TermPtr& column) {
  const TermPtr left = transposed(row);
  if (is_ones(column)) {
    const auto count = static_cast<double>(column->shape.size());
    if (is_sum(left) && side_of(left) == ScoreSide::Both) {
      std::vector<TermPtr> sums;
      for (const TermPtr& operand : left->operands) {
        sums.push_back(operand->shape.is_scalar() ? scaled_term(count, operand)
                                                  : arrange_dot(transposed(operand), column));
      }
      return arrange_sum(combine_term(Combination::Sum, std::move(sums)));
    }
    const bool is_pair = left->is(Combination::ElProduct) && left->operands.size() == 2 &&
                         left->operands[0]->shape == left->operands[1]->shape &&
                         side_of(left) == ScoreSide::Both;
    if (is_pair) return dot_term(left->operands[0], left->operands[1]);
    return combine_term(Combination::Product, {row, column});
  }
  if (equal(left, column)) return combine_term(Combination::Product, {row, column});
  if (left->is(Combination::ElProduct) || column->is(Combination::ElProduct)) {
    const TermPtr entries = arrange_entries(combine_term(Combination::ElProduct, {left, column}));
    const auto& sides = entries->operands;
    const bool is_pair = entries->is(Combination::ElProduct) && sides.size() == 2 &&
                         sides[0]->shape == sides[1]->shape && !sides[0]->shape.is_scalar() &&
                         side_of(sides[0]) != ScoreSide::Both &&
                         side_of(sides[1]) != ScoreSide::Both;
    if (is_pair) return dot_term(sides[0], sides[1]);
  }
  for (const bool of_row : {true, false}) {
    const TermPtr& sum = of_row ? left : column;
    if (!is_sum(sum) || side_of(sum) != ScoreSide::Both) continue;
    const bool has_scalars = std::ranges::any_of(
        sum->operands, [](const TermPtr& operand) { return operand->shape.is_scalar(); });
    if (has_scalars) continue;
    std::vector<TermPtr> sums;
    for (const TermPtr& operand : sum->operands) {
      sums.push_back(of_row ? arrange_product(
                                  combine_term(Combination::Product, {transposed(operand), column}))
                            : arrange_product(combine_term(Combination::Product, {row, operand})));
    }
    return arrange_sum(combine_term(Combination::Sum, std::move(sums)));
  }
  return combine_term(Combination::Product, {row, column});
}

}  // namespace vecc::kg
