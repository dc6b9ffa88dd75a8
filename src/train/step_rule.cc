#include "src/train/step_rule.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace vecc::training {
namespace {

using Kind = StepSymbol::Kind;

// A symbol as an operand's number, as long as a formula is written.
constexpr std::uint32_t kNumbers = 256;  // of states, and of inputs
Formula formula_of(Kind kind, std::size_t number = 0) {
  return Formula::operand(static_cast<std::uint32_t>(kind) * kNumbers +
                          static_cast<std::uint32_t>(number));
}
StepSymbol symbol_of(std::uint32_t operand) {
  return {static_cast<Kind>(operand / kNumbers), operand % kNumbers};
}

bool is_first_in_weight(std::uint32_t operand) {
  const Kind kind = symbol_of(operand).kind;
  return kind == Kind::Weight || kind == Kind::Rate;
}

StepMap map_of(const Formula& formula, bool of_weight) {
  Expr body = formula.expr();
  std::vector<std::uint32_t> read;
  for (const ExprNode& node : body.nodes) {
    if (node.kind == ExprNode::Kind::Input) read.push_back(node.input);
  }
  std::ranges::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  if (of_weight) std::stable_partition(read.begin(), read.end(), is_first_in_weight);
  for (ExprNode& node : body.nodes) {
    if (node.kind != ExprNode::Kind::Input) continue;
    node.input = static_cast<std::uint32_t>(std::ranges::find(read, node.input) - read.begin());
  }
  StepMap map{std::move(body), {}};
  for (const std::uint32_t operand : read) map.reads.push_back(symbol_of(operand));
  return map;
}

}  // namespace

Formula StepRule::gradient() {
  return formula_of(Kind::Gradient);
}
Formula StepRule::weight() {
  return formula_of(Kind::Weight);
}
Formula StepRule::rate() {
  return formula_of(Kind::Rate);
}

Formula StepRule::input(std::string name, const std::function<double(double)>& value) {
  inputs_.push_back({std::move(name), value});
  return formula_of(Kind::Input, inputs_.size() - 1);
}

Formula StepRule::state(std::string name, const std::function<Formula(const Formula&)>& next,
                        double initial) {
  states_.push_back({std::move(name), initial, map_of(next(formula_of(Kind::Before)), false)});
  return formula_of(Kind::State, states_.size() - 1);
}

void StepRule::set_weight(const Formula& moved) {
  moved_ = map_of(moved, true);
}

std::vector<HostInput> host_inputs(const StepRule& rule) {
  std::vector<HostInput> inputs{{"step.rate", [](double, double rate) { return rate; }}};
  for (const StepRule::Input& input : rule.inputs()) {
    inputs.push_back(
        {input.name, [of_step = input.value](double step, double) { return of_step(step); }});
  }
  return inputs;
}

}  // namespace vecc::training
