// Neuron graphs by hand, for tests: neurons are added one by one and get dense ids in that order.
//
//   GraphBuilder b;
//   const WeightId w = b.weight("w", Shape(2, 2), {1, 2, 3, 4});
//   const GroupIndex facts = b.group("bond", NeuronClass::Fact);
//   const GroupIndex layer = b.group("layer_1", NeuronClass::WeightedRule);
//   const NeuronId x = b.fact(facts, Shape::column(2), {1, 2});
//   const NeuronId y = b.neuron(layer, function(Combination::Sum, Transformation::Tanh), {x, x},
//                               {w, kNoWeight});
//   b.sample(y);
//   const NeuronGraph graph = b.build();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::test {

/// `combination` then `transformation`, with default parameters.
[[nodiscard]] NeuronFunction function(Combination combination,
                                      Transformation transformation = Transformation::Identity);
/// `combination` then a transformation with parameters (slope, target).
[[nodiscard]] NeuronFunction function(Combination combination, TransformationSpec transformation);
/// CONCAT along `axis` (-1 or 0).
[[nodiscard]] NeuronFunction concat_function(int axis);
/// FUNCTIONGRAPH of an expression text: `elproduct(sum($0, $1), $2)`. The text must parse.
[[nodiscard]] NeuronFunction function_graph(
    std::string_view expression, Transformation transformation = Transformation::Identity);

/// Builds a NeuronGraph. Consecutive neurons of one group with the same function, columns and
/// declared shape become one range; groups may be interleaved. What makes no graph at all (an
/// unknown id, values that do not fit a shape) throws std::logic_error; what only an importer or a
/// shape rule would refuse (cycles, shapes that do not fit) is built as asked.
class GraphBuilder {
 public:
  using Inputs = std::vector<NeuronId>;
  using Weights = std::vector<WeightId>;

  /// One weight in a table of its own; `values` empty: to be initialised.
  WeightId weight(std::string_view name, Shape shape, std::vector<double> values,
                  bool learnable = true);
  /// `count` weights in one table; the first one's id.
  WeightId weight_table(std::string_view name, std::uint32_t count, Shape shape,
                        std::vector<double> values, bool learnable = true,
                        std::vector<std::string> row_names = {});

  /// A new group; its file id is its index.
  GroupIndex group(std::string_view head_predicate,
                   NeuronClass neuron_class = NeuronClass::WeightedRule,
                   std::string_view rule_text = "");

  /// A constant fact.
  NeuronId fact(GroupIndex group, Shape shape, std::vector<double> values);
  /// A constant scalar fact.
  NeuronId fact(GroupIndex group, double value) { return fact(group, Shape(), {value}); }
  /// An unvalued fact: ONE.
  NeuronId unit_fact(GroupIndex group);
  /// A fact whose value is a weight.
  NeuronId learnable_fact(GroupIndex group, WeightId weight);

  /// A neuron. `weights` is empty (no input has one) or like inputs, kNoWeight being the unit;
  /// `words` has word_count(function.transformation.id) entries; `declared` is its value's shape.
  /// Inputs may name neurons that are added later.
  NeuronId neuron(GroupIndex group, const NeuronFunction& function, Inputs inputs,
                  Weights weights = {}, WeightId offset = kNoWeight,
                  std::vector<std::uint32_t> words = {}, std::optional<Shape> declared = {});
  /// Replaces a neuron's inputs and weights.
  void set_inputs(NeuronId neuron, Inputs inputs, Weights weights = {});
  /// Gives a neuron a name (names of neurons that have none are empty).
  void name(NeuronId neuron, std::string_view text);

  /// A sample without a target; the id defaults to its number.
  std::uint32_t sample(NeuronId output, std::string_view id = "");
  /// A sample with a target.
  std::uint32_t sample(NeuronId output, Shape target_shape, std::vector<double> target,
                       std::string_view id = "");
  /// The sample of that number, to set split, group, role or weight.
  Sample& edit_sample(std::uint32_t number) { return samples_.at(number).record; }

  [[nodiscard]] std::uint32_t neuron_count() const {
    return static_cast<std::uint32_t>(neurons_.size());
  }
  /// The graph so far; may be called again after more additions.
  [[nodiscard]] NeuronGraph build() const;

 private:
  struct Neuron {
    GroupIndex group = 0;
    FactKind fact = FactKind::NotAFact;
    NeuronFunction function;
    Inputs inputs;
    Weights weights;  // a learnable fact: its weight
    WeightId offset = kNoWeight;
    std::vector<std::uint32_t> words;
    std::optional<Shape> shape;
    std::vector<double> values;
    std::string name;
  };
  struct BuiltSample {
    Sample record;
    std::string id;
    std::vector<double> target;
  };

  NeuronId add(Neuron neuron);
  void check_neuron(const Neuron& neuron) const;
  [[nodiscard]] static bool fits_range(const Neuron& previous, const Neuron& next);
  void append(NeuronGraph& graph, const Neuron& neuron, bool new_range) const;
  void append_samples(NeuronGraph& graph) const;

  std::vector<NeuronGroup> groups_;
  std::vector<WeightTable> tables_;
  std::uint32_t weight_count_ = 0;
  std::vector<Neuron> neurons_;
  std::vector<BuiltSample> samples_;
};

}  // namespace vecc::test
