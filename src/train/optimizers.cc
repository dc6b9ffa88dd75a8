// The table of optimizers.def as data, and what a step of each optimizer is. From these formulas
// come the maps of a Program, and so what every backend runs. PyTorch's, by its names and defaults.
#include <algorithm>
#include <cmath>

#include "src/train/step_rule.h"

namespace vecc::training {
namespace {

Formula root(const Formula& x) {
  return apply(Transformation::Sqrt, x);
}
Formula square(const Formula& x) {
  return apply(Transformation::Square, x);
}

// What is added to the weight's gradient where decay is not beside it.
Formula decayed_gradient(const StepRule& s, const OptimizerOptions& o) {
  if (*o.weight_decay == 0) return s.gradient();
  return s.gradient() + *o.weight_decay * s.weight();
}

Formula sgd(StepRule& s, const OptimizerOptions& o) {
  const Formula g = decayed_gradient(s, o);
  if (*o.momentum == 0) return s.weight() - s.rate() * g;
  return s.weight() - s.rate() * s.state("sgd.momentum", [&](const Formula& before) {
    return *o.momentum * before + g;
  });
}

// By bias-corrected moments, epsilon outside the root (Kingma and Ba 2015).
Formula adaptive_move(StepRule& s, const OptimizerOptions& o, const Formula& g) {
  const auto moment = [&](const char* name, double kept, const Formula& of) {
    return s.state(name, [&](const Formula& before) { return kept * before + (1 - kept) * of; });
  };
  const auto correction = [&](const char* name, double kept) {
    return s.input(name, [kept](double step) { return 1 - std::pow(kept, step); });
  };
  const Formula first = moment("adam.m", *o.beta1, g);
  const Formula second = moment("adam.v", *o.beta2, square(g));
  const Formula mean = first / correction("step.bias1", *o.beta1);
  const Formula mean_square = second / correction("step.bias2", *o.beta2);
  return mean / (root(mean_square) + *o.epsilon);
}

Formula adam(StepRule& s, const OptimizerOptions& o) {
  return s.weight() - s.rate() * adaptive_move(s, o, decayed_gradient(s, o));
}

// Weight decay beside the gradient (Loshchilov and Hutter 2019).
Formula adamw(StepRule& s, const OptimizerOptions& o) {
  Formula move = adaptive_move(s, o, s.gradient());
  if (*o.weight_decay != 0) move = move + *o.weight_decay * s.weight();
  return s.weight() - s.rate() * move;
}

// Hinton's lecture 6e; centered: Graves 2013.
Formula rmsprop(StepRule& s, const OptimizerOptions& o) {
  const Formula g = decayed_gradient(s, o);
  const auto mean = [&](const char* name, const Formula& of) {
    return s.state(name,
                   [&](const Formula& before) { return *o.alpha * before + (1 - *o.alpha) * of; });
  };
  Formula variance = mean("rmsprop.square", square(g));
  if (*o.centered != 0) variance = variance - square(mean("rmsprop.mean", g));
  const Formula move = g / (root(variance) + *o.epsilon);
  if (*o.momentum == 0) return s.weight() - s.rate() * move;
  return s.weight() - s.rate() * s.state("rmsprop.momentum", [&](const Formula& before) {
    return *o.momentum * before + move;
  });
}

// Duchi, Hazan and Singer 2011.
Formula adagrad(StepRule& s, const OptimizerOptions& o) {
  const Formula g = decayed_gradient(s, o);
  const Formula sum = s.state(
      "adagrad.sum", [&](const Formula& before) { return before + square(g); },
      *o.initial_accumulator_value);
  Formula rate = s.rate();
  if (*o.lr_decay != 0) {
    rate = rate / s.input("step.decay",
                          [decay = *o.lr_decay](double step) { return 1 + (step - 1) * decay; });
  }
  return s.weight() - rate * (g / (root(sum) + *o.epsilon));
}

constexpr HyperparameterInfo kHyperparameters[] = {
#define VECC_HYPERPARAMETER(name, range, does) \
  {#name, HyperparameterRange::range, does, &OptimizerOptions::name},
#include "vecc/optimizers.def"
};

constexpr OptimizerInfo kOptimizers[] = {
#define VECC_OPTIMIZER(enumerator, text, formula, torch, rows, ...) \
  {Optimizer::enumerator, text, torch, OptimizerRows::rows,         \
   OptimizerOptions{.optimizer = Optimizer::enumerator, __VA_ARGS__}},
#include "vecc/optimizers.def"
};

}  // namespace

StepRule step_rule(const OptimizerOptions& options) {
  StepRule rule;
  switch (options.optimizer) {
#define VECC_OPTIMIZER(enumerator, text, formula, ...) \
  case Optimizer::enumerator:                          \
    rule.set_weight(formula(rule, options));           \
    return rule;
#include "vecc/optimizers.def"
  }
  fail_check("known optimizer", __FILE__, __LINE__, "");
}

}  // namespace vecc::training

namespace vecc {

std::span<const HyperparameterInfo> hyperparameters() {
  return training::kHyperparameters;
}

std::span<const OptimizerInfo> optimizers() {
  return training::kOptimizers;
}

const OptimizerInfo& info(Optimizer optimizer) {
  return training::kOptimizers[static_cast<std::size_t>(optimizer)];
}

std::optional<Optimizer> parse_optimizer(std::string_view text) {
  const auto* const found = std::ranges::find(training::kOptimizers, text, &OptimizerInfo::text);
  if (found == std::end(training::kOptimizers)) return std::nullopt;
  return found->id;
}

std::string_view text_of(Optimizer optimizer) {
  return info(optimizer).text;
}

std::string owners_of(const HyperparameterInfo& hyperparameter) {
  std::vector<std::string_view> owners;
  for (const OptimizerInfo& each : training::kOptimizers) {
    if (each.defaults.*hyperparameter.value) owners.push_back(each.text);
  }
  std::string text;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (i > 0) text += i + 1 == owners.size() ? " and " : ", ";
    text += owners[i];
  }
  return text;
}

OptimizerOptions with_defaults(const OptimizerOptions& options) {
  OptimizerOptions result = options;
  for (const HyperparameterInfo& each : training::kHyperparameters) {
    if (!(result.*each.value)) result.*each.value = info(options.optimizer).defaults.*each.value;
  }
  return result;
}

}  // namespace vecc
