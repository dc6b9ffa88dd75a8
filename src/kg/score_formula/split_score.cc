#include "src/kg/score_formula/split_score.h"

#include <cmath>
#include <optional>
#include <utility>

#include "src/kg/score_formula/arrange_score.h"

namespace vecc::kg {
namespace {

// Columns of one length whose product, or distance, a score is.
struct Columns {
  std::vector<TermPtr> query;
  std::vector<TermPtr> answer;
};

bool is_scalar_one(const TermPtr& term) {
  return term->is_constant() && term->node.constant == 1;
}

class ScoreSplitter {
 public:
  ScoreSplitter(const ScoreFormula& formula, bool asks_tail, SplitInputs inputs)
      : formula_(formula), asks_tail_(asks_tail), inputs_(inputs), arranger_(sides()) {}

  SplitScore split(bool tiles) {
    const TermPtr score = arranger_.arrange(formula_.score);
    Columns columns;
    if (tiles && match_products(1, score, columns)) {
      set(PairKind::Product, std::move(columns));
    } else if (!tiles || !match_distance(score)) {
      cut(score);
    }
    split_.answer_is_row = split_.answer->node.kind == ExprNode::Kind::Input;
    return std::move(split_);
  }

 private:
  [[nodiscard]] std::vector<ScoreSide> sides() const {
    std::vector<ScoreSide> sides;
    for (const ScoreInput& input : formula_.inputs) {
      switch (input.role) {
        case ScoreRole::Shared: sides.push_back(ScoreSide::Neither); break;
        case ScoreRole::Relation: sides.push_back(ScoreSide::Query); break;
        case ScoreRole::Head:
          sides.push_back(asks_tail_ ? ScoreSide::Query : ScoreSide::Answer);
          break;
        case ScoreRole::Tail:
          sides.push_back(asks_tail_ ? ScoreSide::Answer : ScoreSide::Query);
          break;
      }
    }
    return sides;
  }

  // By what the parts are computed from, in place of the formula's inputs.
  [[nodiscard]] TermPtr by_inputs(const TermPtr& term) const {
    return replace_inputs(term, [&](std::uint32_t number) {
      const ScoreInput& input = formula_.inputs[number];
      const ScoreParameter& parameter = formula_.parameters[input.parameter];
      if (inputs_ == SplitInputs::Parameters) return input_term(input.parameter, parameter.shape);
      if (input.role == ScoreRole::Shared) {
        const std::uint32_t first = shared_begin();
        return input_term(kFirstShared + input.parameter - first, parameter.shape);
      }
      const bool is_relation = input.role == ScoreRole::Relation;
      const std::uint32_t width = is_relation ? formula_.relation_width : formula_.entity_width;
      return part_term(input_term(is_relation ? kRelationRow : kOwnRow, Shape::column(width)),
                       parameter.begin, parameter.shape);
    });
  }
  // The number of the first shared parameter.
  [[nodiscard]] std::uint32_t shared_begin() const {
    std::uint32_t first = 0;
    while (formula_.parameters[first].owner != ParameterOwner::Shared) ++first;
    return first;
  }

  [[nodiscard]] bool is_of(const TermPtr& term, ScoreSide side) {
    return arranger_.side_of(term) == side;
  }
  // Query, or neither.
  [[nodiscard]] bool is_querys(const TermPtr& term) {
    return is_of(term, ScoreSide::Query) || is_of(term, ScoreSide::Neither);
  }

  void set(PairKind kind, Columns columns) {
    split_.kind = kind;
    split_.query = by_inputs(column_term(columns.query));
    split_.answer = by_inputs(column_term(columns.answer));
  }

  // -|q - e|, -|q - e|^2 or the sum of absolute entries.
  bool match_distance(const TermPtr& score) {
    if (!score->is(Combination::ElProduct) || score->operands.size() != 2 ||
        !score->operands[0]->is_constant() || score->operands[0]->node.constant != -1) {
      return false;
    }
    TermPtr inner = score->operands[1];
    bool is_root = false;
    if (inner->is(Transformation::Sqrt) && inner->operands[0]->is(Combination::Sum)) {
      const auto& terms = inner->operands[0]->operands;
      const bool is_norm =
          terms.size() == 2 && terms[0]->is_constant() && terms[0]->node.constant < 0x1p-100;
      const bool is_other_order =
          terms.size() == 2 && terms[1]->is_constant() && terms[1]->node.constant < 0x1p-100;
      if (!is_norm && !is_other_order) return false;
      inner = is_norm ? terms[1] : terms[0];
      is_root = true;
    }
    if (!inner->is(Combination::Product) || inner->operands.size() != 2 ||
        !inner->operands[0]->is(Transformation::Transp)) {
      return false;
    }
    TermPtr left = inner->operands[0]->operands[0];
    const TermPtr& right = inner->operands[1];
    PairKind kind = is_root ? PairKind::L2 : PairKind::SquaredL2;
    if (!equal(left, right)) {
      const bool sums_entries = right->is(Transformation::Broadcast) && right->operands[0] &&
                                is_scalar_one(right->operands[0]);
      if (!sums_entries) return false;
      if (left->is(Transformation::Abs) && !is_root) {
        kind = PairKind::L1;
      } else if (!left->is(Transformation::Square)) {
        return false;
      }
      left = left->operands[0];
    }
    return match_difference(left, kind);
  }

  // q + f, f of the answer: the distance of q and -f.
  bool match_difference(const TermPtr& sum, PairKind kind) {
    if (!sum->is(Combination::Sum) || sum->operands.size() != 2) return false;
    TermPtr query = sum->operands[0];
    TermPtr answer = sum->operands[1];
    if (!is_querys(query)) std::swap(query, answer);
    if (!is_querys(query) || !is_of(answer, ScoreSide::Answer) || query->shape != answer->shape) {
      return false;
    }
    set(kind, {{query}, {scaled_term(-1, answer)}});
    return true;
  }

  // Sums of scalars, each a product of something of the query and something of the answer.
  bool match_products(double factor, const TermPtr& term, Columns& columns) {
    if (term->is(Combination::Sum)) {
      for (const TermPtr& operand : term->operands) {
        if (!operand->shape.is_scalar() || !match_products(factor, operand, columns)) return false;
      }
      return true;
    }
    return add_product(constant_term(factor), term, columns);
  }
  // Of `scale`, which is the query's, times the term.
  bool add_product(const TermPtr& scale, const TermPtr& term, Columns& columns) {
    const auto scaled = [&](const TermPtr& query) {
      if (scale->is_constant()) return scaled_term(scale->node.constant, query);
      return combine_term(Combination::ElProduct, {scale, query});
    };
    const auto add = [&](const TermPtr& query, const TermPtr& answer) {
      columns.query.push_back(scaled(query));
      columns.answer.push_back(answer);
      return true;
    };
    if (is_querys(term)) return add(term, constant_term(1));
    if (is_of(term, ScoreSide::Answer)) return add(constant_term(1), term);
    if (term->is(Combination::ElProduct)) {
      TermPtr of_query = scale;
      std::vector<TermPtr> others;
      for (const TermPtr& operand : term->operands) {
        if (!operand->shape.is_scalar()) return false;
        if (!is_querys(operand)) {
          others.push_back(operand);
        } else if (operand->is_constant() && of_query->is_constant()) {
          of_query = constant_term(operand->node.constant * of_query->node.constant);
        } else {
          of_query = combine_term(Combination::ElProduct, {of_query, operand});
        }
      }
      return others.size() == 1 && others[0] != term && add_product(of_query, others[0], columns);
    }
    const bool is_dot =
        term->is(Combination::Product) && term->operands.size() == 2 && term->shape.is_scalar();
    if (!is_dot) return false;
    const TermPtr& left = term->operands[0];
    const TermPtr& right = term->operands[1];
    const auto column = [](const TermPtr& part) { return column_term({&part, 1}); };
    const auto untransposed = [&](const TermPtr& row) {
      return row->is(Transformation::Transp) ? row->operands[0] : column(row);
    };
    if (is_querys(left) && is_of(right, ScoreSide::Answer)) return add(untransposed(left), right);
    if (is_querys(right) && is_of(left, ScoreSide::Answer)) return add(right, untransposed(left));
    return false;
  }

  // The largest parts of one side are q and e; the rest is the pair's.
  void cut(const TermPtr& score) {
    std::vector<TermPtr> parts;
    split_.pair = cut_parts(score, parts);
    Columns columns;
    std::uint32_t begins[2] = {0, 0};
    for (const TermPtr& part : parts) {
      const bool of_query = is_querys(part);
      std::uint32_t& begin = begins[of_query ? 0 : 1];
      split_.pair_inputs.push_back({of_query, begin, part->shape});
      begin += static_cast<std::uint32_t>(part->shape.size());
      (of_query ? columns.query : columns.answer).push_back(part);
    }
    set(PairKind::Other, std::move(columns));
  }
  TermPtr cut_parts(const TermPtr& term, std::vector<TermPtr>& parts) {
    if (!reads_inputs(term)) return term;
    if (!is_of(term, ScoreSide::Both)) {
      std::uint32_t number = 0;
      while (number < parts.size() && !equal(parts[number], term)) ++number;
      if (number == parts.size()) parts.push_back(term);
      return input_term(number, term->shape);
    }
    std::vector<TermPtr> operands;
    for (const TermPtr& operand : term->operands) operands.push_back(cut_parts(operand, parts));
    auto made = make_term(term->node, std::move(operands), "score");
    VECC_CHECK(made, "a part of a score that was cut does not fit");
    return std::move(*made);
  }
  static bool reads_inputs(const TermPtr& term) {
    if (term->node.kind == ExprNode::Kind::Input) return true;
    for (const TermPtr& operand : term->operands) {
      if (reads_inputs(operand)) return true;
    }
    return false;
  }

  const ScoreFormula& formula_;
  bool asks_tail_;
  SplitInputs inputs_;
  ScoreArranger arranger_;
  SplitScore split_;
};

}  // namespace

std::vector<ScoreParameter> shared_parameters(const ScoreFormula& formula) {
  std::vector<ScoreParameter> shared;
  for (const ScoreParameter& parameter : formula.parameters) {
    if (parameter.owner == ParameterOwner::Shared) shared.push_back(parameter);
  }
  return shared;
}

SplitScore split_score(const ScoreFormula& formula, bool asks_tail, bool tiles,
                       SplitInputs inputs) {
  return ScoreSplitter(formula, asks_tail, inputs).split(tiles);
}

std::array<SplitScore, 2> split_questions(const ScoreFormula& formula, SplitInputs inputs) {
  std::array<SplitScore, 2> splits{split_score(formula, false, true, inputs),
                                   split_score(formula, true, true, inputs)};
  const bool tiles = splits[0].kind != PairKind::Other && splits[1].kind != PairKind::Other;
  if (tiles) return splits;
  return {split_score(formula, false, false, inputs), split_score(formula, true, false, inputs)};
}

}  // namespace vecc::kg
