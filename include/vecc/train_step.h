// Optimizers as ops of a Program: states, the step's formulas, updates. Formulas, and where
// NeuraLogic differs: docs/training.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/backend.h"
#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc {

enum class Optimizer : std::uint8_t {
  Sgd,       ///< with momentum and weight decay
  Adam,      ///< bias-corrected, epsilon outside the root (Kingma and Ba 2015)
  AdamW,     ///< weight decay beside the gradient (Loshchilov and Hutter 2019)
  LazyAdam,  ///< NeuraLogic's: Adam of the rows that a step touches; others keep their moments too
};
/// sgd, adam, adamw, lazy-adam; none for other text.
[[nodiscard]] std::optional<Optimizer> parse_optimizer(std::string_view text);
[[nodiscard]] std::string_view text_of(Optimizer optimizer);

struct OptimizerOptions {
  Optimizer optimizer = Optimizer::Adam;
  double momentum = 0;      ///< Sgd
  double weight_decay = 0;  ///< Sgd and the Adams: added to the gradient; AdamW: beside it
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  std::optional<double> clip_norm =
      std::nullopt;  ///< all gradients together to this Euclidean norm
  std::optional<double> clip_value = std::nullopt;  ///< then every gradient's entries to +- this
};

struct ParameterGradient {
  ParameterIndex parameter = 0;
  ValueId gradient = 0;  ///< of all of the parameter's rows
  /// Only these rows are read and written, each once. None: all.
  std::optional<Index> touched = std::nullopt;
};

struct StepOps {
  std::vector<std::string> states;  ///< "adam.m/w" and such
  std::vector<ValueId> updates;
  std::optional<ValueId> gradient_norm;  ///< before clipping, with clip_norm: one scalar
  ParameterIndex rate = 0;               ///< the learning rate, one scalar
  std::optional<ParameterIndex> bias1;   ///< 1 - beta1^t, one scalar
  std::optional<ParameterIndex> bias2;
};

/// Appends one step: moments as states, each parameter's new rows, and updates that store them
/// after every other op of a run. What changes from step to step (the learning rate, Adam's bias
/// corrections) is read from parameters "step.rate", "step.bias1", "step.bias2", which the host
/// sets. Errors: Usage (options out of range; a parameter twice, of other rows or shape than its
/// gradient; a row touched twice), DuplicateName.
[[nodiscard]] Result<StepOps> append_step(Program& program,
                                          std::span<const ParameterGradient> gradients,
                                          const OptimizerOptions& options);

/// What to set before the run that makes step `step` (the first is 1) at a learning rate.
[[nodiscard]] std::vector<ParameterValues> step_values(const StepOps& ops,
                                                       const OptimizerOptions& options,
                                                       std::uint64_t step, double rate);

/// How the learning rate changes with the epoch (or the step: whatever is counted).
struct RateSchedule {
  enum class Kind : std::uint8_t {
    Constant,
    Step,        ///< times `factor` every `period`
    Geometric,   ///< NeuraLogic's: the same, but counted from 1
    Arithmetic,  ///< NeuraLogic's: less by base / period at each, already the first; 0 at the end
    Cosine,      ///< half a cosine from `base` to `last` within `period`, then `last`
  };
  Kind kind = Kind::Constant;
  double base = 0.001;
  std::uint64_t period = 1;  ///< at least 1
  double factor = 0.1;
  double last = 0;

  /// `at` counts from 0.
  [[nodiscard]] double rate_at(std::uint64_t at) const;
};
/// constant, step, geometric, arithmetic, cosine; none for other text.
[[nodiscard]] std::optional<RateSchedule::Kind> parse_schedule(std::string_view text);
[[nodiscard]] std::string_view text_of(RateSchedule::Kind kind);

}  // namespace vecc
