// One step of an optimizer: clipped gradients, moments, new rows, updates.
#include <cmath>
#include <string>
#include <utility>

#include "src/train/clip_gradients.h"
#include "src/train/step_formulas.h"
#include "vecc/escape.h"
#include "vecc/train_step.h"

namespace vecc {
namespace {

Errors step_usage(std::string place, std::string message) {
  return Errors(ErrorCode::Usage, std::move(place), std::move(message));
}

Result<void> check_options(const OptimizerOptions& options) {
  const auto check = [](bool holds, const char* what) -> Result<void> {
    if (holds) return {};
    return step_usage("optimizer", what);
  };
  const auto is_fraction = [](double x) { return x >= 0 && x < 1; };
  VECC_TRY_VOID(check(is_fraction(options.momentum), "momentum: expected 0 to less than 1"));
  VECC_TRY_VOID(check(is_fraction(options.beta1), "beta1: expected 0 to less than 1"));
  VECC_TRY_VOID(check(is_fraction(options.beta2), "beta2: expected 0 to less than 1"));
  VECC_TRY_VOID(check(options.weight_decay >= 0 && std::isfinite(options.weight_decay),
                      "weight decay: expected at least 0"));
  VECC_TRY_VOID(check(options.epsilon >= 0 && std::isfinite(options.epsilon),
                      "epsilon: expected at least 0"));
  for (const auto& limit : {options.clip_value, options.clip_norm}) {
    VECC_TRY_VOID(check(!limit || (*limit > 0 && std::isfinite(*limit)),
                        "a limit of gradients: expected more than 0"));
  }
  return check(options.optimizer == Optimizer::Sgd || options.momentum == 0,
               "momentum is of sgd only");
}

bool has_repeated_row(const Index& rows) {
  std::vector<bool> seen(rows.bound());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (seen[rows[i]]) return true;
    seen[rows[i]] = true;
  }
  return false;
}

Result<void> check_gradients(const Program& program, std::span<const ParameterGradient> gradients) {
  std::vector<bool> seen(program.parameters().size());
  for (const ParameterGradient& each : gradients) {
    VECC_CHECK(each.parameter < seen.size() && each.gradient < program.ops().size(),
               "a step of what is not in the program");
    const Parameter& parameter = program.parameters()[each.parameter];
    const Op& gradient = program.op(each.gradient);
    const auto error = [&](std::string message) {
      return step_usage("parameter \"" + escape_terminal(parameter.name) + "\"",
                        std::move(message));
    };
    if (seen[each.parameter]) return error("has two gradients");
    seen[each.parameter] = true;
    if (gradient.rows != parameter.rows || gradient.shape != parameter.shape) {
      return error("has a gradient of [" + std::to_string(gradient.rows) + ", " +
                   gradient.shape.text() + "], expected [" + std::to_string(parameter.rows) + ", " +
                   parameter.shape.text() + "]");
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
      : program_(program), options_(options), weights_(weight_ops(program)) {}

  Result<StepOps> append(std::span<const ParameterGradient> gradients) {
    VECC_TRY(ops_.rate, add_input("step.rate", rate_));
    if (options_.optimizer != Optimizer::Sgd) {
      VECC_TRY(ops_.bias1, add_input("step.bias1", bias1_));
      VECC_TRY(ops_.bias2, add_input("step.bias2", bias2_));
    }
    ClippedGradients clipped = clip_gradients(program_, gradients, options_);
    ops_.gradient_norm = clipped.norm;
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      append_parameter(gradients[k], clipped.gradients[k]);
    }
    for (const auto& [target, value, rows] : stores_) {
      const auto update = program_.add(UpdateOp{rows}, {target, value}, "step");
      VECC_CHECK(update.has_value(), update ? "" : update.error().text());
      ops_.updates.push_back(*update);
    }
    return std::move(ops_);
  }

 private:
  // A scalar that the host sets, and its rows.
  Result<ParameterIndex> add_input(const char* name, ValueId& value) {
    VECC_TRY(const ParameterIndex parameter,
             program_.add_parameter(
                 {name, 1, Shape::scalar(), std::make_shared<const std::vector<double>>(1, 1.0)}));
    value = program_.weight(parameter);
    return parameter;
  }

  // The rows that the step works on.
  ValueId touched_rows(ValueId value, const std::optional<Index>& touched) {
    return touched ? program_.gather(value, *touched) : value;
  }

  // A state beside the parameter, its new rows made of the rows before, the gradient, the weight.
  ValueId append_moment(const std::string& kind, const ParameterGradient& of, Expr formula,
                        ValueId gradient, ValueId weight) {
    const Parameter& parameter = program_.parameters()[of.parameter];
    ops_.states.push_back(kind + "/" + parameter.name);
    const auto state =
        program_.add(StateOp{ops_.states.back(), parameter.rows, parameter.shape, 0.0}, {}, "step");
    VECC_CHECK(state.has_value(), state ? "" : state.error().text());
    const ValueId operands[] = {touched_rows(*state, of.touched), gradient, weight};
    const std::size_t read = formula.input_count();
    const ValueId moment =
        program_.map(std::move(formula), std::span(operands).first(read), "step");
    stores_.push_back({*state, moment, of.touched});
    return moment;
  }

  void append_parameter(const ParameterGradient& of, ValueId full_gradient) {
    auto& of_program = weights_[of.parameter];
    if (!of_program) of_program = program_.weight(of.parameter);
    const ValueId weight = touched_rows(*of_program, of.touched);
    const ValueId gradient = touched_rows(full_gradient, of.touched);
    ValueId moved = 0;
    if (options_.optimizer != Optimizer::Sgd) {
      const ValueId first = append_moment("adam.m", of, first_moment(options_), gradient, weight);
      const ValueId second = append_moment("adam.v", of, second_moment(options_), gradient, weight);
      const ValueId operands[] = {weight, rate_, first, second, bias1_, bias2_};
      moved = program_.map(descend_adaptively(options_), operands, "step");
    } else if (options_.momentum != 0) {
      const ValueId momentum =
          append_moment("sgd.momentum", of, first_moment(options_), gradient, weight);
      const ValueId operands[] = {weight, rate_, momentum};
      moved = program_.map(descend_along_momentum(), operands, "step");
    } else {
      const ValueId operands[] = {weight, rate_, gradient};
      moved = program_.map(descend(options_), operands, "step");
    }
    stores_.push_back({*of_program, moved, of.touched});
  }

  struct Store {
    ValueId target = 0;
    ValueId value = 0;
    std::optional<Index> rows;
  };
  Program& program_;
  const OptimizerOptions& options_;
  std::vector<std::optional<ValueId>> weights_;
  std::vector<Store> stores_;
  ValueId rate_ = 0;
  ValueId bias1_ = 0;
  ValueId bias2_ = 0;
  StepOps ops_;
};

}  // namespace

Result<StepOps> append_step(Program& program, std::span<const ParameterGradient> gradients,
                            const OptimizerOptions& options) {
  VECC_TRY_VOID(check_options(options));
  VECC_TRY_VOID(check_gradients(program, gradients));
  return StepAppender(program, options).append(gradients);
}

std::vector<ParameterValues> step_values(const StepOps& ops, const OptimizerOptions& options,
                                         std::uint64_t step, double rate) {
  VECC_CHECK(step > 0, "steps count from 1");
  const auto correction = [step](double beta) {
    return 1 - std::pow(beta, static_cast<double>(step));
  };
  std::vector<ParameterValues> values{{ops.rate, {rate}}};
  if (ops.bias1) values.push_back({*ops.bias1, {correction(options.beta1)}});
  if (ops.bias2) values.push_back({*ops.bias2, {correction(options.beta2)}});
  return values;
}

}  // namespace vecc
