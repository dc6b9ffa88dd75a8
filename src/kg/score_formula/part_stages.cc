#include "src/kg/score_formula/part_stages.h"

#include <utility>

#include "vecc/error.h"

namespace vecc::kg {
namespace {

bool is_large(const Shape& shape) {
  const bool is_matrix = shape.rows() > 1 && shape.cols() > 1;
  return shape.size() >= (is_matrix ? kStageMatrix : kStageVector);
}

// What a term is in another shape only.
const TermPtr& without_shape(const TermPtr& term) {
  return term->is(Transformation::Reshape) ? without_shape(term->operands[0]) : term;
}

class StageCutter {
 public:
  explicit StageCutter(std::uint32_t inputs) : inputs_(inputs) {}

  PartStages cut(const TermPtr& part) {
    TermPtr last = with_reads(part);
    result_.stages.push_back(std::move(last));
    return std::move(result_);
  }

 private:
  // The term with stages in place of what is large below it.
  TermPtr with_reads(const TermPtr& term) {
    std::vector<TermPtr> operands;
    for (const TermPtr& operand : term->operands) operands.push_back(as_operand(operand));
    if (operands.empty()) return term;
    auto made = make_term(term->node, std::move(operands), "score");
    VECC_CHECK(made, "a stage of a score does not fit");
    return std::move(*made);
  }
  TermPtr as_operand(const TermPtr& term) {
    const TermPtr& value = without_shape(term);
    const bool is_computed = !value->operands.empty() && !is_filled(value);
    if (!is_computed || !is_large(term->shape)) return with_reads(term);
    return read(stage_of(value), term->shape);
  }
  // Of one number, which is no work to repeat.
  static bool is_filled(const TermPtr& term) {
    return term->is(Transformation::Broadcast) && term->operands[0]->shape.is_scalar();
  }
  std::uint32_t stage_of(const TermPtr& value) {
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
      if (equal(values_[i], value)) return i;
    }
    TermPtr stage = with_reads(value);  // what it reads becomes stages before it
    result_.stages.push_back(std::move(stage));
    values_.push_back(value);
    return static_cast<std::uint32_t>(values_.size() - 1);
  }
  TermPtr read(std::uint32_t stage, Shape shape) {
    std::uint32_t i = 0;
    while (i < result_.reads.size() && result_.reads[i].stage != stage) ++i;
    if (i == result_.reads.size()) result_.reads.push_back({stage, shape});
    return reshape_term(input_term(inputs_ + i, result_.reads[i].shape), shape);
  }

  std::uint32_t inputs_;
  PartStages result_;
  std::vector<TermPtr> values_;  // by stage: what it computes, of the part's inputs
};

}  // namespace

PartStages stages_of(const TermPtr& part, std::uint32_t inputs) {
  return StageCutter(inputs).cut(part);
}

}  // namespace vecc::kg
