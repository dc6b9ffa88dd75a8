// Graphs by hand that have something in every column.
#pragma once

#include "tests/support/graph_builder.h"

namespace vecc::test {

inline Vocabulary vocabulary_of(std::string name, const std::vector<std::string>& names,
                                std::vector<VocabularyUse> uses) {
  Vocabulary vocabulary{std::move(name), {}, std::move(uses)};
  for (const std::string& n : names) vocabulary.names.push_back(n);
  return vocabulary;
}

/// Every kind of fact, function parameter, weight table, sample and vocabulary.
inline NeuronGraph graph_of_everything() {
  GraphBuilder b;
  const WeightId w =
      b.weight_table("w", 2, Shape(2, 2), {1, 2, 3, 4, 5, 6, 7, 0.1}, true, {"first", ""});
  const WeightId fixed = b.weight("fixed", Shape(2, 1), {1, -1}, false);
  const WeightId unset = b.weight("to be initialised", Shape(2, 1), {});
  const GroupIndex facts = b.group("bond", NeuronClass::Fact);
  const GroupIndex rule = b.group("h", NeuronClass::WeightedRule, "h(X) :- w bond(X, Y).");
  const GroupIndex hostile = b.group("a\nb\"c*/\x1b[31m<script>\xE2\x82\xAC\\", NeuronClass::Atom);
  const NeuronId x = b.fact(facts, Shape::column(2), {0.5, 1e300});
  const NeuronId y = b.fact(facts, Shape::column(2), {-0.0, 3});
  const NeuronId one = b.unit_fact(facts);
  const NeuronId u = b.learnable_fact(facts, unset);
  const NeuronId h =
      b.neuron(rule, function(Combination::Sum, Transformation::Tanh), {x, y}, {w, w + 1}, fixed);
  b.neuron(rule, function(Combination::Sum, Transformation::Tanh), {x, one, y},
           {w, kNoWeight, w + 1}, fixed);
  TransformationSpec leaky{.id = Transformation::LeakyRelu, .slope = 0.2, .target = {}};
  TransformationSpec reshape{.id = Transformation::Reshape, .target = Shape(1, 2)};
  const NeuronId ready = b.neuron(hostile, function(Combination::Avg, leaky), {h, u});
  b.name(ready, "named\n");
  b.neuron(hostile, function(Combination::Max, reshape), {h, u});
  b.neuron(hostile, concat_function(0), {h, u});
  b.neuron(hostile, function(Combination::Sum, Transformation::Slice), {h}, {}, kNoWeight,
           {0, 1, 0, kToEnd});
  b.neuron(hostile, function_graph("elproduct(sum($0, $1), $1)"), {h, u});
  const NeuronId empty =
      b.neuron(hostile, function(Combination::Sum), {}, {}, kNoWeight, {}, Shape(2, 3));
  b.sample(h, "without target");
  const std::uint32_t s = b.sample(empty, Shape(2, 3), {1, 2, 3, 4, 5, 6.5}, "t\"");
  b.edit_sample(s).split = Split::Test;
  b.edit_sample(s).role = Role::Negative;
  b.edit_sample(s).group = 4;
  b.edit_sample(s).weight = 0.25F;
  NeuronGraph graph = b.build();
  using Use = VocabularyUse;
  graph.vocabularies = {
      vocabulary_of("label\n", {"", "\xE2\x82\xAC\x1b"},
                    {{Use::Place::Weights, Use::Axis::Entry, "w", 0, 1},
                     {Use::Place::Weights, Use::Axis::ValueColumn, "w", 0, 1}}),
      vocabulary_of("one", {"only"}, {{Use::Place::Weights, Use::Axis::ValueRow, "fixed", 0, 2}}),
      vocabulary_of("class", {"a", "b", "c", "d", "e", "f"}, {{Use::Place::Outputs, {}, {}, 0, 1}}),
      vocabulary_of("unused", {"x"}, {})};
  return graph;
}

}  // namespace vecc::test
