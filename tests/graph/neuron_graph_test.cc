#include "vecc/neuron_graph.h"

#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"
#include "vecc/error.h"

namespace vecc::test {
namespace {

// Two groups, interleaved: ranges facts 0..1, layer 2, facts 3, layer 4..5.
NeuronGraph interleaved() {
  GraphBuilder b;
  const GroupIndex facts = b.group("bond", NeuronClass::Fact);
  const GroupIndex layer = b.group("a\"b\n", NeuronClass::Rule);
  b.fact(facts, 1);
  b.fact(facts, 2);
  b.neuron(layer, function(Combination::Sum), {0, 1});
  b.fact(facts, 3);
  b.neuron(layer, function(Combination::Sum), {0, 3});
  b.neuron(layer, function(Combination::Sum), {2, 4});
  return b.build();
}

TEST(NeuronGraph, range_of_every_neuron) {
  const NeuronGraph graph = interleaved();
  ASSERT_EQ(graph.ranges.size(), 4u);
  const std::uint32_t expected[] = {0, 0, 1, 2, 3, 3};
  for (NeuronId n = 0; n < 6; ++n) EXPECT_EQ(graph.range_of(n), expected[n]) << n;
  EXPECT_THROW((void)graph.range_of(6), InternalError);
}

TEST(NeuronGraph, groups_know_their_ranges) {
  const NeuronGraph graph = interleaved();
  EXPECT_EQ(graph.groups[0].ranges, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(graph.groups[1].ranges, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(graph.groups[0].neuron_count, 3u);
  EXPECT_EQ(graph.groups[1].neuron_count, 3u);
}

TEST(NeuronGraph, file_ids_count_from_the_ranges_first) {
  NeuronGraph graph = interleaved();
  graph.ranges[3].file_first_id = std::uint64_t{1} << 40;
  EXPECT_EQ(graph.file_id(2), 2u);
  EXPECT_EQ(graph.file_id(5), (std::uint64_t{1} << 40) + 1);
  EXPECT_EQ(graph.describe(5), "group 1 \"a\\\"b\\n\", neuron 1099511627777");
}

TEST(NeuronGraph, bytes_are_the_columns) {
  NeuronGraph graph = interleaved();
  const std::uint64_t before = graph.bytes();
  EXPECT_GE(before, graph.input_begin.size() * 8 + graph.inputs.size() * 4);
  const std::uint64_t without = before - graph.values.bytes();
  graph.values = {};
  graph.values.reserve(3000);  // of floats or of doubles: the first number says
  EXPECT_EQ(graph.bytes(), without);
  graph.values.push_back(0.5);
  EXPECT_EQ(graph.bytes() - without, 3000 * sizeof(float));
}

TEST(NeuronGraph, classes_have_names) {
  EXPECT_EQ(text_of(NeuronClass::Fact), "fact");
  EXPECT_EQ(text_of(NeuronClass::SplittableAggregation), "splittable aggregation");
}

TEST(GraphBuilder, columns_of_one_range) {
  GraphBuilder b;
  const WeightId w = b.weight_table("w", 2, Shape(), {1, 2});
  const GroupIndex layer = b.group("layer");
  const NeuronId x = b.learnable_fact(b.group("x"), w + 1);
  const NeuronFunction slice = function(Combination::Sum, Transformation::AtIndex);
  b.neuron(layer, slice, {x}, {w}, w + 1, {4});
  b.neuron(layer, slice, {x, x}, {w, kNoWeight}, w, {5});
  const NeuronGraph graph = b.build();
  ASSERT_EQ(graph.ranges.size(), 2u);
  EXPECT_EQ(graph.ranges[0].fact, FactKind::Learnable);
  EXPECT_EQ(graph.ranges[1].count, 2u);
  EXPECT_EQ(graph.weights, (std::vector<WeightId>{w + 1, w, w, kNoWeight}));
  EXPECT_EQ(graph.ranges[1].weight_begin, 1u);
  EXPECT_EQ(graph.offsets, (std::vector<WeightId>{w + 1, w}));
  EXPECT_EQ(graph.words, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(graph.input_begin, (std::vector<std::uint64_t>{0, 0, 1, 3}));
}

TEST(GraphBuilder, refuses_what_is_no_graph) {
  GraphBuilder b;
  EXPECT_THROW(b.fact(0, 1), std::logic_error);
  const GroupIndex group = b.group("g");
  EXPECT_THROW(b.fact(group, Shape(2, 1), {1}), std::logic_error);
  EXPECT_THROW(b.learnable_fact(group, 3), std::logic_error);
  EXPECT_THROW(b.sample(0), std::logic_error);
  b.neuron(group, function(Combination::Sum), {7});
  EXPECT_THROW((void)b.build(), std::logic_error);
  b.set_inputs(0, {});
  EXPECT_EQ(b.build().edge_count(), 0u);
}

}  // namespace
}  // namespace vecc::test
