// What a step of an optimizer computes of one entry of a parameter: formulas over symbols, which
// append_step() makes maps of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/train/formula.h"
#include "vecc/train_step.h"

namespace vecc::training {

/// What a formula of a step may read. In its map `$0`, `$1`, ... are those that it does, in this
/// order; in that of the weight, weight and rate come first.
struct StepSymbol {
  enum class Kind : std::uint8_t {
    Before,    ///< the state itself, before the step
    Gradient,  ///< the parameter's, within its limits
    Weight,    ///< before the step
    Rate,
    State,  ///< another state, after the step
    Input,  ///< a scalar that the host sets
  };
  Kind kind = Kind::Before;
  std::uint32_t number = 0;  ///< of the state or input
};
struct StepMap {
  Expr body;
  std::vector<StepSymbol> reads;  ///< by operand
};

class StepRule {
 public:
  /// Symbols.
  [[nodiscard]] static Formula gradient();
  [[nodiscard]] static Formula weight();
  [[nodiscard]] static Formula rate();
  /// A number that is `value(step)` at each step (the first is 1); parameter `name`.
  Formula input(std::string name, const std::function<double(double)>& value);
  /// A state beside each parameter, NAME/PARAMETER: `next` makes its entry of the one before; at
  /// first it is `initial`. Returns the new entry.
  Formula state(std::string name, const std::function<Formula(const Formula&)>& next,
                double initial = 0);
  /// The new weight.
  void set_weight(const Formula& moved);

  struct State {
    std::string name;
    double initial = 0;
    StepMap next;
  };
  struct Input {
    std::string name;
    std::function<double(double)> value;
  };
  [[nodiscard]] const std::vector<State>& states() const { return states_; }
  [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }
  [[nodiscard]] const StepMap& moved() const { return moved_; }

 private:
  std::vector<State> states_;
  std::vector<Input> inputs_;
  StepMap moved_;
};

/// The optimizer's. `options` as with_defaults() makes them.
[[nodiscard]] StepRule step_rule(const OptimizerOptions& options);

/// A scalar parameter that the host sets before each step.
struct HostInput {
  std::string name;
  std::function<double(double step, double rate)> value;
};
/// The learning rate, then the rule's own.
[[nodiscard]] std::vector<HostInput> host_inputs(const StepRule& rule);

}  // namespace vecc::training
