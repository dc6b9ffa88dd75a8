// One step of an optimizer: clipped gradients, moments, new rows, updates.
#include <cmath>
#include <string>
#include <utility>

#include "src/program/value_indices.h"
#include "src/train/clip_gradients.h"
#include "src/train/step_rule.h"
#include "vecc/escape.h"
#include "vecc/train_step.h"

namespace vecc::training {
namespace {

Errors step_usage(std::string place, std::string message) {
  return Errors(ErrorCode::Usage, std::move(place), std::move(message));
}

bool is_within(HyperparameterRange range, double value) {
  switch (range) {
    case HyperparameterRange::BelowOne: return value >= 0 && value < 1;
    case HyperparameterRange::AtLeastZero: return value >= 0 && std::isfinite(value);
    case HyperparameterRange::Flag: return value == 0 || value == 1;
  }
  return false;
}

std::string_view text_of(HyperparameterRange range) {
  switch (range) {
    case HyperparameterRange::BelowOne: return "0 to less than 1";
    case HyperparameterRange::AtLeastZero: return "at least 0";
    case HyperparameterRange::Flag: return "0 or 1";
  }
  return {};
}

Result<void> check_options(const OptimizerOptions& options) {
  const OptimizerInfo& optimizer = info(options.optimizer);
  for (const HyperparameterInfo& each : hyperparameters()) {
    const std::optional<double>& value = options.*each.value;
    if (!value) continue;
    if (!(optimizer.defaults.*each.value)) {
      return step_usage("optimizer", std::string(each.name) + " is of " + owners_of(each) +
                                         ", and " + std::string(optimizer.text) + " has none");
    }
    if (!is_within(each.range, *value)) {
      return step_usage("optimizer",
                        std::string(each.name) + ": expected " + std::string(text_of(each.range)));
    }
  }
  for (const auto& limit : {options.clip_value, options.clip_norm}) {
    if (limit && !(*limit > 0 && std::isfinite(*limit))) {
      return step_usage("optimizer", "a limit of gradients: expected more than 0");
    }
  }
  return {};
}

bool has_repeated_row(const Index& rows) {
  std::vector<bool> seen(rows.bound());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (seen[rows[i]]) return true;
    seen[rows[i]] = true;
  }
  return false;
}

// Whether a step moves rows without a gradient, too, or states beside them: a step of some rows
// alone is then one of another optimizer.
bool moves_every_row(const OptimizerOptions& options) {
  const OptimizerOptions o = with_defaults(options);
  if (info(o.optimizer).rows == OptimizerRows::Touched) return false;
  if (o.optimizer != Optimizer::Sgd && o.optimizer != Optimizer::Adagrad) return true;
  return o.momentum.value_or(0) != 0 || o.weight_decay.value_or(0) != 0;
}

// What is wrong with a gradient of rows that a value names; empty if nothing is.
std::string wrong_rows(const Program& program, const ParameterGradient& of,
                       const OptimizerOptions& options) {
  const Op& numbers = program.op(*of.rows);
  const std::uint32_t rows = program.parameters()[of.parameter].rows;
  if (of.touched) return "is touched in rows of a list and of a value";
  if (options.clip_norm || options.clip_value) {
    return "has a gradient of rows that a value names, which no limit is for";
  }
  if (!numbers.shape.is_scalar()) {
    return "has rows that are numbered by values of shape " + numbers.shape.text() +
           ", expected scalars";
  }
  if (program.dtype() == DType::F32 && rows > kMostRowsInF32) {
    return "has " + std::to_string(rows) + " rows, which f32 does not number: expected at most " +
           std::to_string(kMostRowsInF32);
  }
  if (!moves_every_row(options)) return "";
  return "has a gradient of rows that a value names, but a step of " +
         std::string(text_of(options.optimizer)) +
         " with these options moves rows without a gradient, too: expected the gradient of all "
         "rows, lazy-adam, or sgd or adagrad without momentum and weight decay";
}

Result<void> check_gradients(const Program& program, std::span<const ParameterGradient> gradients,
                             const OptimizerOptions& options) {
  std::vector<bool> seen(program.parameters().size());
  for (const ParameterGradient& each : gradients) {
    VECC_CHECK(each.parameter < seen.size() && each.gradient < program.ops().size() &&
                   each.rows.value_or(0) < program.ops().size(),
               "a step of what is not in the program");
    const Parameter& parameter = program.parameters()[each.parameter];
    const Op& gradient = program.op(each.gradient);
    const auto error = [&](std::string message) {
      return step_usage("parameter \"" + escape_terminal(parameter.name) + "\"",
                        std::move(message));
    };
    if (seen[each.parameter]) return error("has two gradients");
    seen[each.parameter] = true;
    const std::uint32_t rows = each.rows ? program.op(*each.rows).rows : parameter.rows;
    if (gradient.rows != rows || gradient.shape != parameter.shape) {
      return error("has a gradient of [" + std::to_string(gradient.rows) + ", " +
                   gradient.shape.text() + "], expected [" + std::to_string(rows) + ", " +
                   parameter.shape.text() + "]");
    }
    if (each.rows) {
      std::string wrong = wrong_rows(program, each, options);
      if (!wrong.empty()) return error(std::move(wrong));
    }
    if (!each.touched) continue;
    if (each.touched->bound() > parameter.rows) {
      return error("row " + std::to_string(each.touched->bound() - 1) + " is touched, of " +
                   std::to_string(parameter.rows));
    }
    if (has_repeated_row(*each.touched)) return error("a row is touched twice");
  }
  return {};
}

// By parameter: its first `weight` op.
std::vector<std::optional<ValueId>> weight_ops(const Program& program) {
  std::vector<std::optional<ValueId>> weights(program.parameters().size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const auto* weight = std::get_if<WeightOp>(&program.op(id).attributes);
    if (weight != nullptr && !weights[weight->parameter]) weights[weight->parameter] = id;
  }
  return weights;
}

class StepAppender {
 public:
  StepAppender(Program& program, const OptimizerOptions& options)
      : program_(program),
        options_(options),
        rule_(step_rule(with_defaults(options))),
        weights_(weight_ops(program)) {}

  Result<StepOps> append(std::span<const ParameterGradient> gradients) {
    for (const HostInput& input : host_inputs(rule_)) {
      VECC_TRY(const ValueId added, add_input(input.name, input.value));
      inputs_.push_back(added);
    }
    ClippedGradients clipped = clip_gradients(program_, gradients, options_);
    ops_.gradient_norm = clipped.norm;
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      append_parameter(gradients[k], clipped.gradients[k]);
    }
    for (const Store& store : stores_) {
      Operands operands{store.target, store.value};
      if (store.of->rows) operands.push_back(*store.of->rows);
      ops_.updates.push_back(added(UpdateOp{store.of->touched}, std::move(operands)));
      ops_.updated.push_back(store.of->parameter);
    }
    return std::move(ops_);
  }

 private:
  // One parameter's part of a step, as far as it is made: the rows that the step works on.
  struct Values {
    ValueId gradient = 0;
    ValueId weight = 0;
    std::vector<ValueId> states;  // after the step
  };

  // A scalar that the host sets.
  Result<ValueId> add_input(const std::string& name, std::function<double(double, double)> value) {
    VECC_TRY(const ParameterIndex parameter,
             program_.add_parameter({name, 1, Shape::scalar(), SharedNumbers::repeated(1, 1)}));
    ops_.inputs.push_back({parameter, std::move(value)});
    return program_.weight(parameter);
  }

  // The rows that the step works on.
  ValueId touched_rows(ValueId value, const ParameterGradient& of) {
    if (of.rows) return added(TakeOp{}, {value, *of.rows});
    return of.touched ? program_.gather(value, *of.touched) : value;
  }
  ValueId added(OpAttributes attributes, Operands operands) {
    const auto value = program_.add(std::move(attributes), std::move(operands), "step");
    VECC_CHECK(value.has_value(), value ? "" : value.error().text());
    return *value;
  }

  ValueId append_map(const StepMap& map, const Values& values, ValueId before = 0) {
    std::vector<ValueId> operands;
    for (const StepSymbol& symbol : map.reads) {
      operands.push_back(value_of(symbol, values, before));
    }
    return program_.map(map.body, operands, "step");
  }
  [[nodiscard]] ValueId value_of(const StepSymbol& symbol, const Values& values,
                                 ValueId before) const {
    switch (symbol.kind) {
      case StepSymbol::Kind::Before: return before;
      case StepSymbol::Kind::Gradient: return values.gradient;
      case StepSymbol::Kind::Weight: return values.weight;
      case StepSymbol::Kind::Rate: return inputs_.front();
      case StepSymbol::Kind::State: return values.states[symbol.number];
      case StepSymbol::Kind::Input: return inputs_[symbol.number + std::size_t{1}];
    }
    fail_check("known symbol", __FILE__, __LINE__, "");
  }

  // A state beside the parameter, and its new rows.
  void append_state(const StepRule::State& rule, const ParameterGradient& of, Values& values) {
    const Parameter& parameter = program_.parameters()[of.parameter];
    ops_.states.push_back(rule.name + "/" + parameter.name);
    const ValueId state =
        added(StateOp{ops_.states.back(), parameter.rows, parameter.shape, rule.initial}, {});
    values.states.push_back(append_map(rule.next, values, touched_rows(state, of)));
    stores_.push_back({&of, state, values.states.back()});
  }

  void append_parameter(const ParameterGradient& of, ValueId full_gradient) {
    auto& of_program = weights_[of.parameter];
    if (!of_program) of_program = program_.weight(of.parameter);
    Values values;
    values.weight = touched_rows(*of_program, of);
    values.gradient = of.rows ? full_gradient : touched_rows(full_gradient, of);
    for (const StepRule::State& state : rule_.states()) append_state(state, of, values);
    stores_.push_back({&of, *of_program, append_map(rule_.moved(), values)});
  }

  struct Store {
    const ParameterGradient* of = nullptr;
    ValueId target = 0;
    ValueId value = 0;
  };
  Program& program_;
  const OptimizerOptions& options_;
  const StepRule rule_;
  std::vector<std::optional<ValueId>> weights_;
  std::vector<Store> stores_;
  std::vector<ValueId> inputs_;  // the rate, then the rule's
  StepOps ops_;
};

}  // namespace

}  // namespace vecc::training

namespace vecc {

Result<StepOps> append_step(Program& program, std::span<const ParameterGradient> gradients,
                            const OptimizerOptions& options) {
  VECC_TRY_VOID(training::check_options(options));
  VECC_TRY_VOID(training::check_gradients(program, gradients, options));
  return training::StepAppender(program, options).append(gradients);
}

std::vector<ParameterValues> step_values(const StepOps& ops, std::uint64_t step, double rate,
                                         std::optional<std::uint64_t> run) {
  VECC_CHECK(step > 0, "steps count from 1");
  std::vector<ParameterValues> values;
  for (const StepInput& input : ops.inputs) {
    const std::uint64_t counted = input.counts_runs ? run.value_or(step) : step;
    values.push_back({input.parameter, {input.value(static_cast<double>(counted), rate)}});
  }
  return values;
}

}  // namespace vecc
