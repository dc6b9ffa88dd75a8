// Optimizers as ops of a Program: states, the step's formulas, updates. Formulas, and where
// NeuraLogic differs: docs/training.md.
#pragma once

#include <cstdint>
#include <functional>
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
#define VECC_OPTIMIZER(enumerator, ...) enumerator,
#include "vecc/optimizers.def"
};

struct OptimizerOptions {
  Optimizer optimizer = Optimizer::Adam;
  // Hyperparameters. Not given: the optimizer's default, if it has one of this name.
#define VECC_HYPERPARAMETER(name, ...) std::optional<double> name = std::nullopt;
#include "vecc/optimizers.def"
  std::optional<double> clip_norm =
      std::nullopt;  ///< all gradients together to this Euclidean norm
  std::optional<double> clip_value = std::nullopt;  ///< then every gradient's entries to +- this
};

enum class HyperparameterRange : std::uint8_t { BelowOne, AtLeastZero, Flag };
struct HyperparameterInfo {
  std::string_view name;
  HyperparameterRange range;
  std::string_view does;
  std::optional<double> OptimizerOptions::*value;
};

enum class OptimizerRows : std::uint8_t { All, Touched };
struct OptimizerInfo {
  Optimizer id;
  std::string_view text;
  std::string_view torch;  ///< its class in torch.optim; empty: none
  OptimizerRows rows;
  OptimizerOptions defaults;  ///< the hyperparameters that it has
};

/// The tables of optimizers.def; optimizers in enumerator order.
[[nodiscard]] std::span<const HyperparameterInfo> hyperparameters();
[[nodiscard]] std::span<const OptimizerInfo> optimizers();
[[nodiscard]] const OptimizerInfo& info(Optimizer optimizer);
[[nodiscard]] std::optional<Optimizer> parse_optimizer(std::string_view text);
[[nodiscard]] std::string_view text_of(Optimizer optimizer);
/// `adam, sgd and adamw`: those that have the hyperparameter.
[[nodiscard]] std::string owners_of(const HyperparameterInfo& hyperparameter);
/// The options with the optimizer's defaults for the hyperparameters that are not given.
[[nodiscard]] OptimizerOptions with_defaults(const OptimizerOptions& options);

struct ParameterGradient {
  ParameterIndex parameter = 0;
  ValueId gradient = 0;  ///< of all of the parameter's rows, or of those of `rows`
  /// Only these rows are read and written, each once. None: all.
  std::optional<Index> touched = std::nullopt;
  /// The rows that are read and written are a value's: append_row_gradients(). Not with `touched`,
  /// nor with limits of gradients, nor where the optimizer moves rows without a gradient: only of
  /// lazy-adam, and of sgd and adagrad without momentum and weight decay.
  std::optional<ValueId> rows = std::nullopt;
};

/// A scalar that the host sets before every step.
struct StepInput {
  ParameterIndex parameter = 0;
  std::function<double(double step, double rate)> value;  ///< the first step is 1
  bool counts_runs = false;  ///< `step` is the run's number: that of an optimizer may stand still
};
struct StepOps {
  std::vector<std::string> states;  ///< "adam.m/w" and such
  std::vector<ValueId> updates;
  std::vector<ParameterIndex> updated;   ///< by update: the parameter whose step it is a part of
  std::optional<ValueId> gradient_norm;  ///< before clipping, with clip_norm: one scalar
  std::vector<StepInput> inputs;         ///< the learning rate, then the optimizer's own
};

/// Appends one step: moments as states, each parameter's new rows, and updates that store them
/// after every other op of a run. What changes from step to step (the learning rate, Adam's bias
/// corrections) is read from parameters "step.rate", "step.bias1" and such, which the host sets.
/// Errors: Usage (options out of range, or not the optimizer's; a parameter twice, of other rows or
/// shape than its gradient; a row touched twice; limits of gradients of rows that a value names, or
/// an optimizer that moves others, or numbers that are no rows'), DuplicateName.
[[nodiscard]] Result<StepOps> append_step(Program& program,
                                          std::span<const ParameterGradient> gradients,
                                          const OptimizerOptions& options);

/// What to set before the run that makes step `step` (the first is 1) at a learning rate. `run`:
/// the number of the run, where that is another.
[[nodiscard]] std::vector<ParameterValues> step_values(const StepOps& ops, std::uint64_t step,
                                                       double rate,
                                                       std::optional<std::uint64_t> run = {});

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
