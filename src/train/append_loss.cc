// A loss over the outputs of a Program, sample by sample; rankings: append_ranking.h.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "src/program/index_algebra.h"
#include "src/program/output_begin.h"
#include "src/support/enum_names.h"
#include "src/train/append_ranking.h"
#include "src/train/loss_formulas.h"
#include "src/train/loss_layout.h"
#include "src/train/sum_rows.h"

namespace vecc::training {
namespace {

Errors loss_usage(std::string message) {
  return Errors(ErrorCode::Usage, "loss", std::move(message));
}

Result<void> check_samples_fit(const Program& program, const LossSamples& samples,
                               const LossOptions& options) {
  const bool ranks = options.loss == Loss::MarginRanking;
  const std::uint64_t weights = ranks ? samples.pairs.size() : program.sample_count();
  if (samples.weights.size() != weights) {
    return loss_usage(std::to_string(samples.weights.size()) + " weights, expected " +
                      std::to_string(weights) + (ranks ? ": one a pair" : ": one a sample"));
  }
  const std::uint64_t targets = ranks ? 0 : output_begin(program).back();
  if (samples.targets.size() != targets) {
    return loss_usage(std::to_string(samples.targets.size()) + " target values, expected " +
                      std::to_string(targets) +
                      (ranks ? " for a ranking" : ": one an element of every sample's output"));
  }
  return {};
}

// What the loss compares with targets: the output, or the logits that it is made of.
ValueId compared_value(Program& program, ValueId output, Loss loss) {
  const ValueId value = program.op(output).operands[0];
  const auto function = logit_function(loss, program.op(output).shape);
  return function ? before_function(program, value, *function).value_or(value) : value;
}

// Targets of an `output` op's rows; of the only one's, in order, they are the samples' own.
std::vector<double> take_target_rows(const Program& program, ValueId output, LossSamples& samples) {
  const Index& of_rows = std::get<OutputOp>(program.op(output).attributes).samples;
  const bool are_all = is_identity(of_rows, program.sample_count()) &&
                       program.op(output).size() == samples.targets.size();
  return are_all ? std::move(samples.targets) : target_rows(program, output, samples);
}

// The loss of the rows of one `output` op; returns what they add to the total. Its targets may be
// taken from the samples.
Result<ValueId> append_output_loss(Program& program, ValueId output, LossSamples& samples,
                                   const LossOptions& options, LossOps& ops) {
  const std::string name = std::to_string(ops.outputs.size());
  const ValueId value = compared_value(program, output, options.loss);
  const std::uint32_t rows = program.op(output).rows;
  const Shape shape = program.op(output).shape;
  VECC_TRY(const ParameterIndex targets,
           program.add_parameter({"target/" + name, rows, shape,
                                  SharedNumbers::of(take_target_rows(program, output, samples))}));
  VECC_TRY(const ParameterIndex weights,
           program.add_parameter({"sample_weight/" + name, rows, Shape::scalar(),
                                  SharedNumbers::of(weight_rows(program, output, samples))}));
  const LossFormulas formulas = sample_formulas(options, shape);
  const ValueId operands[] = {value, program.weight(targets), program.weight(weights)};
  const ValueId errors = program.map(formulas.error, std::span(operands).first(2), "loss: errors");
  ops.seeds.push_back({value, program.map(formulas.gradient, operands, "loss: gradient")});
  ops.outputs.push_back(output);
  ops.errors.push_back(errors);
  ops.targets.push_back(targets);
  ops.weights.push_back(weights);
  const ValueId weighted[] = {operands[2], errors};
  return sum_rows(program, program.map(weighted_error(), weighted, "loss: weighted errors"));
}

}  // namespace

}  // namespace vecc::training

namespace vecc {

std::string_view text_of(Loss loss) {
  switch (loss) {
    case Loss::SquaredDiff: return "squared_diff";
    case Loss::AbsoluteDiff: return "absolute_diff";
    case Loss::CrossEntropy: return "crossentropy";
    case Loss::SoftEntropy: return "softentropy";
    case Loss::BinaryCrossEntropy: return "binary_crossentropy";
    case Loss::MarginRanking: return "margin_ranking";
  }
  return "";
}

std::optional<Loss> parse_loss(std::string_view text) {
  return parse_name<Loss>(text);
}

std::string_view text_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::Sum: return "sum";
    case Reduction::Mean: return "mean";
    case Reduction::ElementSum: return "element-sum";
    case Reduction::ElementMean: return "element-mean";
  }
  return "";
}

std::optional<Reduction> parse_reduction(std::string_view text) {
  return parse_name<Reduction>(text);
}

Result<LossOps> append_loss(Program& program, LossSamples samples, const LossOptions& options) {
  const std::vector<ValueId> outputs = training::output_ops(program);
  if (outputs.empty()) return training::loss_usage("the program has no output");
  for (const ValueId output : outputs) {
    VECC_CHECK(
        std::get<OutputOp>(program.op(output).attributes).samples.bound() <= program.sample_count(),
        "a loss of a program that verify() refuses");
  }
  VECC_TRY_VOID(training::check_samples_fit(program, samples, options));
  if (options.loss == Loss::MarginRanking)
    return training::append_ranking(program, samples, options.margin);
  LossOps ops;
  std::vector<ValueId> totals;
  for (const ValueId output : outputs) {
    VECC_TRY(const ValueId total,
             training::append_output_loss(program, output, samples, options, ops));
    totals.push_back(total);
  }
  ops.total = training::sum_rows(program, program.concat(totals, "loss: totals"));
  return ops;
}

std::vector<ParameterIndex> own_parameters(const LossOps& ops) {
  std::vector<ParameterIndex> own = ops.targets;
  own.insert(own.end(), ops.weights.begin(), ops.weights.end());
  return own;
}

std::vector<ParameterValues> loss_values(const Program& program, const LossOps& ops,
                                         const LossSamples& samples) {
  if (ops.targets.empty()) return {{ops.weights.front(), samples.weights}};
  std::vector<ParameterValues> values;
  for (std::size_t k = 0; k < ops.outputs.size(); ++k) {
    values.push_back({ops.targets[k], training::target_rows(program, ops.outputs[k], samples)});
    values.push_back({ops.weights[k], training::weight_rows(program, ops.outputs[k], samples)});
  }
  return values;
}

}  // namespace vecc
