#include "src/train/step_program.h"

#include <algorithm>
#include <utility>

#include "src/train/formula.h"
#include "vecc/differentiate.h"
#include "vecc/optimize.h"

namespace vecc::training {
namespace {

// state <- state + total * divisor: the sum of errors again.
void append_loss_state(Program& program, ValueId total, double divisor) {
  const auto added = [](Result<ValueId> value) {
    VECC_CHECK(value.has_value(), "the state of the loss");
    return *value;
  };
  const ValueId state = added(program.add(StateOp{kLossState, 1, Shape::scalar(), 0}, {}));
  const ValueId operands[] = {state, total};
  const Formula sum_of_errors = Formula::operand(0) + Formula::operand(1) * divisor;
  const ValueId sum = program.map(sum_of_errors.expr(), operands, "loss: sum");
  added(program.add(UpdateOp{}, {state, sum}));
}

std::vector<ParameterGradient> gradients_of(const Program& program,
                                            std::span<const ParameterIndex> wanted,
                                            std::span<const std::optional<ValueId>> values,
                                            const TableRows* touched) {
  std::vector<ParameterGradient> gradients;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!values[i]) continue;
    ParameterGradient gradient{wanted[i], *values[i], std::nullopt};
    if (touched != nullptr) {
      const auto rows = touched->find(program.parameters()[wanted[i]].name);
      if (rows == touched->end()) continue;
      gradient.touched = Index::compact(rows->second);
    }
    gradients.push_back(std::move(gradient));
  }
  return gradients;
}

}  // namespace

Result<StepProgram> make_step_program(const NeuronGraph& graph, Program forward,
                                      std::span<const std::uint32_t> samples,
                                      const TableRows* touched, bool optimizes,
                                      const TrainOptions& options) {
  StepProgram step{std::move(forward), {}, {}, 0};
  Program& program = step.program;
  std::vector<ParameterIndex> learned;
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const bool is_input =
        std::ranges::find(options.inputs, program.parameters()[p].name) != options.inputs.end();
    if (!is_input) learned.push_back(p);
  }
  VECC_TRY(const LossSamples chosen,
           loss_samples(graph, program, {samples, std::nullopt}, options.loss));
  step.counted = static_cast<std::uint64_t>(
      std::ranges::count_if(chosen.weights, [](double weight) { return weight != 0; }));
  VECC_TRY(const LossOps loss, append_loss(program, chosen, options.loss));
  step.own_parameters = own_parameters(loss);
  VECC_TRY(const auto values, append_gradients(program, loss.seeds, learned));
  const auto gradients = gradients_of(program, learned, values, touched);
  VECC_TRY(step.ops, append_step(program, gradients, options.optimizer));
  append_loss_state(program, loss.total, chosen.divisor);
  if (optimizes) {
    VECC_TRY(program, optimize(std::move(program), options.optimize));
  }
  return step;
}

}  // namespace vecc::training
