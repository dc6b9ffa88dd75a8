#include "src/train/step_program.h"

#include <algorithm>
#include <utility>

#include "src/program/index_algebra.h"
#include "src/train/loss_state.h"
#include "src/train/saved_step.h"
#include "src/train/step_rule.h"
#include "vecc/differentiate.h"
#include "vecc/fanout.h"
#include "vecc/optimize.h"
#include "vecc/step_inputs.h"

namespace vecc::training {
namespace {

constexpr const char* kDivisor = "step.divisor";

bool is_input(const Parameter& parameter, const TrainOptions& options) {
  return parameter.name == kFanoutTable ||
         std::ranges::find(options.inputs, parameter.name) != options.inputs.end();
}

// All but inputs, and what the Program updates by itself (running statistics).
std::vector<ParameterIndex> learned_parameters(const Program& program,
                                               const TrainOptions& options) {
  std::vector<bool> learns;
  for (const Parameter& parameter : program.parameters()) {
    learns.push_back(!is_input(parameter, options));
  }
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Update) continue;
    const auto* weight = std::get_if<WeightOp>(&program.op(op.operands[0]).attributes);
    if (weight != nullptr) learns[weight->parameter] = false;
  }
  std::vector<ParameterIndex> learned;
  for (ParameterIndex p = 0; p < learns.size(); ++p) {
    if (learns[p]) learned.push_back(p);
  }
  return learned;
}

// Whose rows a batch sets, beside the weights of its samples.
std::optional<ParameterIndex> rows_of_steps(const Program& program) {
  const auto members = find_parameter(program, kFanoutTable);
  return members ? members : find_parameter(program, kStepSamples);
}

// Of whose rows a step's statistics are. A batch sets its own.
void set_step_samples(Program& program, std::span<const std::uint32_t> samples) {
  const std::optional<ParameterIndex> parameter = find_parameter(program, kStepSamples);
  if (!parameter) return;
  std::vector<double> values(program.parameters()[*parameter].rows, 0.0);
  for (const std::uint32_t sample : samples) values[sample] = 1;
  program.set_parameter_values(*parameter, SharedNumbers::of(std::move(values)));
}

// What every run sets, found by name in a Program that has its step.
StepOps inputs_of(const Program& program, const TrainOptions& options) {
  StepOps ops;
  for (HostInput& input : host_inputs(step_rule(with_defaults(options.optimizer)))) {
    const std::optional<ParameterIndex> parameter = find_parameter(program, input.name);
    VECC_CHECK(parameter.has_value(), "an input of the step: " + input.name);
    ops.inputs.push_back({*parameter, std::move(input.value)});
  }
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const std::string& name = program.parameters()[p].name;
    if (!is_step_number(name) || !is_input(program.parameters()[p], options)) continue;
    const auto value = [name, seed = options.seed](double run, double) {
      return step_input_value(name, seed, static_cast<std::uint64_t>(run));
    };
    ops.inputs.push_back({p, value, /*counts_runs=*/true});
  }
  return ops;
}

std::uint64_t count_weights(std::span<const double> weights) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(weights, [](double weight) { return weight != 0; }));
}

// Of weights that are not divided yet.
LossOptions undivided(LossOptions options) {
  if (options.reduction == Reduction::Mean) options.reduction = Reduction::Sum;
  if (options.reduction == Reduction::ElementMean) options.reduction = Reduction::ElementSum;
  return options;
}

// The parameter of all targets, sample by sample. None where several outputs have them, or some
// other order.
std::optional<ParameterIndex> targets_in_order(const Program& program, const LossOps& loss) {
  if (loss.targets.size() != 1) return {};
  const Op& output = program.op(loss.outputs[0]);
  const Index& of_rows = std::get<OutputOp>(output.attributes).samples;
  const bool are_all =
      of_rows.size() == program.sample_count() && is_identity(of_rows, program.sample_count());
  return are_all ? std::optional(loss.targets[0]) : std::nullopt;
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

void forget_values(Program& program) {
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    program.set_parameter_values(p, nullptr);
  }
}

std::optional<ParameterIndex> find_parameter(const Program& program, std::string_view name) {
  const std::vector<Parameter>& parameters = program.parameters();
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  if (found == parameters.end()) return {};
  return static_cast<ParameterIndex>(found - parameters.begin());
}

Result<StepProgram> make_step_program(const NeuronGraph& graph, Program forward,
                                      std::span<const std::uint32_t> samples,
                                      const TableRows* touched, bool optimizes,
                                      const TrainOptions& options) {
  StepProgram step{std::move(forward), {}, {}, 0};
  Program& program = step.program;
  const std::vector<ParameterIndex> learned = learned_parameters(program, options);
  VECC_TRY(LossSamples chosen, loss_samples(graph, program, {samples, std::nullopt}, options.loss));
  step.counted = count_weights(chosen.weights);
  const auto divisor = chosen.divisor;
  VECC_TRY(const LossOps loss, append_loss(program, std::move(chosen), options.loss));
  step.own_parameters = own_parameters(loss);
  set_step_samples(program, samples);
  if (const auto rows = rows_of_steps(program)) step.own_parameters.push_back(*rows);
  const auto append = [&](Program made) -> Result<SavedStep> {
    VECC_TRY(const auto values, append_gradients(made, loss.seeds, learned));
    const auto gradients = gradients_of(made, learned, values, touched);
    VECC_TRY_VOID(append_step(made, gradients, options.optimizer));
    append_loss_state(made, kLossState, loss.total, divisor);
    if (!optimizes) return SavedStep{std::move(made), {}, {}};
    // No pass looks at targets: they take no memory meanwhile, and are read once more.
    const bool is_run = options.optimize.measure || options.optimize.observe;
    const auto targets = is_run ? std::nullopt : targets_in_order(made, loss);
    if (targets) made.set_parameter_values(*targets, nullptr);
    VECC_TRY(made, optimize(std::move(made), options.optimize));
    if (!targets) return SavedStep{std::move(made), {}, {}};
    VECC_TRY(LossSamples again, loss_samples(graph, made, {samples, std::nullopt}, options.loss));
    made.set_parameter_values(*targets, SharedNumbers::of(std::move(again.targets)));
    return SavedStep{std::move(made), {}, {}};
  };
  // What is touched is another for each batch, and what is not optimized is made in no time.
  const bool may_be_kept = touched == nullptr && optimizes;
  VECC_TRY(SavedStep made,
           may_be_kept ? find_or_make_step(options, describe_step("whole", samples, options),
                                           std::move(program), append)
                       : append(std::move(program)));
  program = std::move(made.program);
  step.ops = inputs_of(program, options);
  return step;
}

Result<BatchStepProgram> make_batch_step_program(const NeuronGraph& graph, Program forward,
                                                 std::span<const std::uint32_t> samples,
                                                 const TrainOptions& options) {
  BatchStepProgram made;
  made.step.program = std::move(forward);
  Program& program = made.step.program;
  const std::vector<ParameterIndex> learned = learned_parameters(program, options);
  VECC_TRY(LossSamples chosen,
           loss_samples(graph, program, {samples, std::nullopt}, undivided(options.loss)));
  made.step.counted = count_weights(chosen.weights);
  made.rows = sample_rows(program);
  for (std::uint32_t s = 0; s < samples.size(); ++s) {
    const bool has_target = graph.samples[samples[s]].has_target;
    const std::uint64_t size = program.op(made.rows[s].output).shape.size();
    made.elements.push_back(has_target ? static_cast<double>(size) : 0.0);
  }
  made.weights = std::exchange(chosen.weights, std::vector<double>(chosen.weights.size()));
  VECC_TRY(const LossOps loss, append_loss(program, std::move(chosen), options.loss));
  made.batch.weights = loss.weights;
  set_step_samples(program, {});
  const std::optional<ParameterIndex> set_rows = rows_of_steps(program);
  if (set_rows) made.batch.weights.push_back(*set_rows);
  made.has_statistics = find_parameter(program, kStepSamples).has_value();
  for (SampleRow& row : made.rows) {
    row.output =
        static_cast<ValueId>(std::ranges::find(loss.outputs, row.output) - loss.outputs.begin());
  }
  const auto append = [&](Program step) -> Result<SavedStep> {
    VECC_TRY(const auto values, append_gradients(step, loss.seeds, learned));
    VECC_TRY(StepOps ops,
             append_step(step, gradients_of(step, learned, values, nullptr), options.optimizer));
    VECC_TRY(const ParameterIndex divisor,
             step.add_parameter({kDivisor, 1, Shape::scalar(), SharedNumbers::repeated(1, 1)}));
    append_loss_state(step, kLossState, loss.total, Formula::operand(2), step.weight(divisor));
    return SavedStep{std::move(step), std::move(ops.updates), std::move(ops.updated)};
  };
  VECC_TRY(SavedStep step, find_or_make_step(options, describe_step("batches", samples, options),
                                             std::move(program), append));
  program = std::move(step.program);
  made.step.ops = inputs_of(program, options);
  for (std::size_t u = 0; u < step.updates.size(); ++u) {
    made.batch.updates.push_back({step.updates[u], step.updated[u]});
  }
  made.batch.lists_touched = info(options.optimizer.optimizer).rows == OptimizerRows::Touched;
  made.divisor = *find_parameter(program, kDivisor);
  made.step.own_parameters = own_parameters(loss);
  if (set_rows) made.step.own_parameters.push_back(*set_rows);
  made.step.own_parameters.push_back(made.divisor);
  for (const StepInput& input : made.step.ops.inputs) {
    made.step.own_parameters.push_back(input.parameter);
  }
  return made;
}

}  // namespace vecc::training
