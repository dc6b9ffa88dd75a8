// How groups become layers: splitting by shape, merging of equals, the order of members.
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"
#include "tests/vectorize/vectorize_check.h"

namespace vecc::test {
namespace {

const NeuronFunction kSum = function(Combination::Sum);
const NeuronFunction kSumTanh = function(Combination::Sum, Transformation::Tanh);

TEST(Grouping, LiteralsOfTwoShapesAreTwoLinearsAndOneSegment) {
  GraphBuilder b;
  const WeightId w3 = b.weight("w3", Shape(3, 3), {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const WeightId w5 = b.weight("w5", Shape(3, 1), {.1, .2, .3});
  const GroupIndex atoms = b.group("atom", NeuronClass::Fact);
  const GroupIndex bonds = b.group("bond", NeuronClass::Fact);
  const GroupIndex layer = b.group("layer_1");
  const NeuronId x = b.fact(atoms, Shape::column(3), {1, -1, .5});
  const NeuronId y = b.fact(atoms, Shape::column(3), {.3, .2, .1});
  const NeuronId e = b.fact(bonds, .7);
  b.sample(b.neuron(layer, kSumTanh, {x, e}, {w3, w5}));
  b.sample(b.neuron(layer, kSumTanh, {e, y, x}, {w5, w3, w3}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(count_ops(v.program, OpKind::Linear), 2u);
  EXPECT_EQ(count_ops(v.program, OpKind::Segment), 1u);
  EXPECT_EQ(count_ops(v.program, OpKind::Transform), 1u);
}

TEST(Grouping, UnitWeightIsAPlainReadBroadcastToTheSum) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(2, 2), {1, 2, 3, 4});
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, Shape::column(2), {1, 2});
  const NeuronId bond = b.unit_fact(facts);
  b.sample(b.neuron(b.group("h"), kSum, {x, bond}, {w, kNoWeight}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(count_ops(v.program, OpKind::Linear), 1u);
}

TEST(Grouping, OneElementNeedsNoSegmentAndWholeReadsNoGather) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const GroupIndex rule = b.group("rule", NeuronClass::Rule);
  const GroupIndex aggregation = b.group("rule", NeuronClass::Aggregation);
  std::vector<NeuronId> x;
  for (int i = 0; i < 3; ++i) x.push_back(b.fact(facts, i));
  std::vector<NeuronId> r;
  for (const NeuronId n : x) r.push_back(b.neuron(rule, kSumTanh, {n}));
  for (const NeuronId n : r) b.sample(b.neuron(aggregation, function(Combination::Avg), {n}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(count_ops(v.program, OpKind::Segment), 0u);
  EXPECT_EQ(count_ops(v.program, OpKind::Gather), 0u);
}

TEST(Grouping, EqualFanInIsAFixedSegmentMixedIsRagged) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, 1);
  const NeuronId y = b.fact(facts, 2);
  const GroupIndex pair = b.group("pair");
  b.sample(b.neuron(pair, kSum, {x, y}));
  b.sample(b.neuron(pair, kSum, {y, x}));
  const GroupIndex mixed = b.group("mixed");
  b.sample(b.neuron(mixed, function(Combination::Avg), {x, y, y}));
  b.sample(b.neuron(mixed, function(Combination::Avg), {y}));
  const Vectorized v = check_vectorize(b.build());
  std::vector<bool> fixed;
  for (const Op& op : v.program.ops()) {
    if (const auto* s = std::get_if<SegmentOp>(&op.attributes))
      fixed.push_back(s->segments.is_fixed());
  }
  EXPECT_EQ(fixed, (std::vector<bool>{true, false}));
}

TEST(Grouping, IndependentGroupsOfEqualSignatureAreOneLayer) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, Shape::column(2), {1, 2});
  const NeuronId y = b.fact(facts, Shape::column(2), {3, 4});
  for (int k = 0; k < 4; ++k) {
    const WeightId w = b.weight("w" + std::to_string(k), Shape(2, 2), {1, 2, 3, 4. + k});
    const GroupIndex rule = b.group("embed_" + std::to_string(k));
    b.sample(b.neuron(rule, kSumTanh, {x, y}, {w, w}));
  }
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(v.report.merged_groups, 3u);
  EXPECT_EQ(count_ops(v.program, OpKind::Linear), 1u);
  EXPECT_EQ(count_ops(v.program, OpKind::Segment), 1u);
}

TEST(Grouping, GroupsOfDifferentFunctionStayApart) {
  GraphBuilder b;
  const NeuronId x = b.fact(b.group("f", NeuronClass::Fact), 1);
  b.sample(b.neuron(b.group("a"), kSumTanh, {x}));
  b.sample(b.neuron(b.group("b"), function(Combination::Sum, Transformation::Relu), {x}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(v.report.merged_groups, 0u);
  EXPECT_EQ(count_ops(v.program, OpKind::Transform), 2u);
}

TEST(Grouping, OneGroupMayMixFunctionsAndShapes) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(2, 1), {.5, -1});
  const GroupIndex all = b.group("everything");
  const NeuronId x = b.fact(all, 2);
  const NeuronId h = b.neuron(all, kSumTanh, {x}, {w});
  const NeuronId g = b.neuron(all, function(Combination::Max), {h, h});
  b.sample(g);
  b.sample(b.neuron(all, kSum, {g, x}));
  check_vectorize(b.build());
}

TEST(Grouping, OneNeuronGroupsInAChainAreALayerEach) {
  GraphBuilder b;
  NeuronId n = b.fact(b.group("start", NeuronClass::Fact), .5);
  for (int k = 0; k < 20; ++k) n = b.neuron(b.group("g" + std::to_string(k)), kSumTanh, {n, n});
  b.sample(n);
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(v.report.layers, 21u);
  EXPECT_EQ(v.report.recursive_components, 0u);
}

TEST(Grouping, OutputsOfSeveralShapesKeepSampleOrder) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  b.sample(b.fact(facts, Shape::column(2), {1, 2}));
  b.sample(b.fact(facts, 5));
  b.sample(b.fact(facts, Shape::column(2), {3, 4}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(count_ops(v.program, OpKind::Output), 2u);
  auto executable = find_backend("interpreter")->compile(v.program, {});
  ASSERT_TRUE(executable && (*executable)->run());
  const auto outputs = *(*executable)->outputs();
  EXPECT_EQ(outputs.at(0).value, (std::vector<double>{1, 2}));
  EXPECT_EQ(outputs.at(1).value, (std::vector<double>{5}));
  EXPECT_EQ(outputs.at(2).value, (std::vector<double>{3, 4}));
}

TEST(Grouping, RowAndColumnVectorsOfOneLengthAdd) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const NeuronId column = b.fact(facts, Shape::column(3), {1, 2, 3});
  const NeuronId row = b.fact(facts, Shape::row(3), {10, 20, 30});
  const NeuronId scalar = b.fact(facts, .5);
  b.sample(b.neuron(b.group("h"), kSum, {scalar, column, row}));
  check_vectorize(b.build());
}

}  // namespace
}  // namespace vecc::test
