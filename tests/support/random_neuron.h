// Draws functions for the neurons of a group, and neurons that follow them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tests/support/tracked_value.h"
#include "vecc/neuron_graph.h"

namespace vecc::test {

/// A neuron of the graph that grows; ids are given at the end.
struct DrawnNeuron {
  std::uint32_t group = 0;
  FactKind fact = FactKind::NotAFact;
  NeuronFunction function;
  std::vector<std::uint32_t> inputs;  ///< drawn neurons before this one
  std::vector<WeightId> weights;      ///< empty, or like inputs; a learnable fact: its weight
  WeightId offset = kNoWeight;
  std::vector<std::uint32_t> words;
  std::optional<Shape> declared;
  TrackedValue value;
};

/// Random values of a shape between -1 and 1; exact: whole numbers between -2 and 2.
[[nodiscard]] TrackedValue draw_value(Shape shape, bool exact, RandomSource& random);

/// Weights by shape, shared by the neurons that ask for one.
class WeightPool {
 public:
  explicit WeightPool(bool exact) : exact_(exact) {}

  struct Table {
    Shape shape;
    std::uint32_t count = 0;
    bool learnable = true;
    std::vector<double> values;
  };

  /// A weight of that shape: a new table now and then, else one that others use too.
  WeightId draw(Shape shape, RandomSource& random);
  [[nodiscard]] bool is_exact() const { return exact_; }
  [[nodiscard]] const TrackedValue& value(WeightId weight) const { return values_[weight]; }
  /// In the order of their ids.
  [[nodiscard]] const std::vector<Table>& tables() const { return tables_; }

 private:
  bool exact_;
  std::vector<Table> tables_;
  std::vector<TrackedValue> values_;
  std::map<Shape, std::vector<WeightId>> by_shape_;
};

/// The neurons so far, by the shape of their values.
class NeuronPool {
 public:
  void add(DrawnNeuron neuron);
  [[nodiscard]] const std::vector<DrawnNeuron>& neurons() const { return neurons_; }
  /// Any neuron, the latest ones more often.
  [[nodiscard]] std::uint32_t draw(RandomSource& random) const;
  /// The same among those of one shape.
  [[nodiscard]] std::optional<std::uint32_t> draw(Shape shape, RandomSource& random) const;

 private:
  std::vector<DrawnNeuron> neurons_;
  std::map<Shape, std::vector<std::uint32_t>> by_shape_;
};

/// What the neurons of a group have in common.
struct NeuronTemplate {
  struct Literal {
    Shape input;
    std::optional<Shape> weight;  ///< none: the unit weight
    WeightId shared = kNoWeight;  ///< the weight of every neuron; kNoWeight: each draws its own
  };
  NeuronFunction function;
  std::vector<Literal> literals;
  std::optional<Shape> offset;   ///< its shape
  bool variable_fan_in = false;  ///< the first literal, any number of times
  bool declares_shape = false;
};

/// A template that fits the neurons in the pool; it may still have no well-conditioned neuron.
[[nodiscard]] NeuronTemplate draw_template(const NeuronPool& pool, WeightPool& weights,
                                           RandomSource& random);

/// A neuron after the template with inputs from the pool; none if what was drawn is ill-formed or
/// ill-conditioned, or rounds where all weights are exact. `inputs`, if not empty, are taken
/// instead of draws.
[[nodiscard]] std::optional<DrawnNeuron> draw_neuron(const NeuronTemplate& pattern,
                                                     const NeuronPool& pool, WeightPool& weights,
                                                     RandomSource& random,
                                                     const std::vector<std::uint32_t>& inputs = {});

}  // namespace vecc::test
