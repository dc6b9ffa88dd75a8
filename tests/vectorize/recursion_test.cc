// Recursive groups: levels, alignment, and what levels read.
#include <gtest/gtest.h>

#include "src/vectorize/layer_graph.h"
#include "src/vectorize/levels.h"
#include "tests/support/graph_builder.h"
#include "tests/vectorize/vectorize_check.h"

namespace vecc::test {
namespace {

const NeuronFunction kCell = function(Combination::Sum, Transformation::Tanh);

/// A chain of `depth` neurons of one group, each reading the one before and a fact.
NeuronGraph chain(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(2, 2), {.5, -.2, .1, .4});
  const WeightId u = b.weight("u", Shape(2, 2), {.3, .3, -.6, .2});
  const GroupIndex facts = b.group("token", NeuronClass::Fact);
  const GroupIndex cell = b.group("cell");
  NeuronId previous = b.fact(facts, Shape::column(2), {.1, .2});
  for (std::uint32_t k = 0; k < depth; ++k) {
    const NeuronId token = b.fact(facts, Shape::column(2), {.01 * k, .5});
    previous = b.neuron(cell, kCell, {token, previous}, {w, u});
  }
  b.sample(previous);
  return b.build();
}

TEST(Recursion, AChainHasALevelANeuron) {
  const Vectorized v = check_vectorize(chain(30));
  EXPECT_EQ(v.report.recursive_components, 1u);
  EXPECT_EQ(v.report.levels, 30u);
}

TEST(Recursion, ALevelReadsTheLevelsThatItNeeds) {
  const auto rows = [](std::uint32_t depth) {
    return statistics(check_vectorize(chain(depth)).program).rows;
  };
  EXPECT_EQ(rows(60) - rows(30), rows(90) - rows(60));
}

TEST(Recursion, MutualRecursionAndUngroupedGraphs) {
  GraphBuilder b;
  const GroupIndex even = b.group("even");
  const GroupIndex odd = b.group("odd");
  NeuronId n = b.fact(even, .9);
  for (int k = 0; k < 9; ++k) n = b.neuron(k % 2 == 0 ? odd : even, kCell, {n, n});
  b.sample(n);
  check_vectorize(b.build());
}

TEST(Recursion, ATreeIsLevelledByHeightAndBranchesMayBeUneven) {
  GraphBuilder b;
  const GroupIndex leaves = b.group("leaf", NeuronClass::Fact);
  const GroupIndex node = b.group("node");
  auto leaf = [&, k = 0]() mutable { return b.fact(leaves, .1 * ++k); };
  const NeuronId left = b.neuron(node, kCell, {leaf(), leaf()});
  const NeuronId deep = b.neuron(node, kCell, {left, leaf()});
  const NeuronId right = b.neuron(node, kCell, {leaf(), leaf(), leaf()});
  b.sample(b.neuron(node, kCell, {deep, right}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(v.report.levels, 3u);
}

TEST(Recursion, AlignedWhereFewerConnectionsSkipALevel) {
  // Two chains of lengths 1 and 4 end in one neuron: aligned at the end, nothing skips.
  GraphBuilder b;
  const GroupIndex node = b.group("node");
  const NeuronId fact = b.fact(b.group("f", NeuronClass::Fact), 1);
  const NeuronId short_end = b.neuron(node, kCell, {fact});
  NeuronId long_end = b.neuron(node, kCell, {fact});
  for (int k = 0; k < 3; ++k) long_end = b.neuron(node, kCell, {long_end});
  b.sample(b.neuron(node, kCell, {short_end, long_end}));
  const NeuronGraph graph = b.build();
  const vectorizer::LayerGraph layers = vectorizer::build_layer_graph(graph);
  const std::uint32_t component = layers.component_of[layers.vertex_of[short_end]];
  const vectorizer::Levels levels = vectorizer::level_component(graph, layers, component);
  EXPECT_TRUE(levels.aligned_at_end);
  EXPECT_EQ(levels.neurons.at(3), (std::vector<NeuronId>{short_end, long_end}));
  check_vectorize(graph);
}

TEST(Recursion, LevelsOfSeveralFunctionsAndShapesShareBuffersByShape) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(2, 1), {1, -1});
  const WeightId v = b.weight("v", Shape::row(2), {.5, .25});
  const GroupIndex rule = b.group("rule");
  const GroupIndex atom = b.group("atom");
  NeuronId n = b.fact(b.group("f", NeuronClass::Fact), .4);
  for (int k = 0; k < 5; ++k) {
    const NeuronId wide = b.neuron(rule, kCell, {n}, {w});
    n = b.neuron(atom, function(Combination::Sum), {wide, wide}, {v, v});
  }
  b.sample(n);
  check_vectorize(b.build());
}

TEST(Recursion, SoftmaxInsideARecursion) {
  GraphBuilder b;
  const GroupIndex attention = b.group("attention", NeuronClass::SplittableAggregation);
  const GroupIndex share = b.group("share");
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  NeuronId x = b.fact(facts, .4);
  NeuronId y = b.fact(facts, -.3);
  for (int k = 0; k < 4; ++k) {
    const NeuronId softmax = b.neuron(attention, function(Combination::Softmax), {x, y});
    const NeuronFunction at = function(Combination::Sum, Transformation::AtIndex);
    x = b.neuron(share, at, {softmax}, {}, kNoWeight, {0});
    y = b.neuron(share, at, {softmax}, {}, kNoWeight, {1});
  }
  b.sample(x);
  b.sample(y);
  check_vectorize(b.build());
}

TEST(Recursion, ADeepChainNeedsNoDeepStack) {
  const auto v = vectorize(chain(20000));
  ASSERT_TRUE(v) << v.error().text();
  EXPECT_EQ(v->report.levels, 20000u);
}

}  // namespace
}  // namespace vecc::test
