// Facts, weights, units, order of evaluation, errors.
#include <cmath>

#include "tests/reference/reference_check.h"

namespace vecc::test {
namespace {

const NeuronFunction kPlainSum = function(Combination::Sum);

TEST(Reference, Facts) {
  GraphBuilder b;
  b.weight("other", Shape(), {0});
  const WeightId table = b.weight_table("emb", 3, Shape::column(2), {1, 2, 3, 4, 5, 6});
  const GroupIndex group = b.group("facts", NeuronClass::Fact);
  const NeuronId unit = b.unit_fact(group);
  const NeuronId first = b.fact(group, Shape(2, 2), {1, 2, 3, 4});
  const NeuronId second = b.fact(group, Shape(2, 2), {5, 6, 7, 8});
  const NeuronId learnable = b.learnable_fact(group, table + 2);
  const NeuronId again = b.learnable_fact(group, table);
  const ReferenceValues values = evaluate_or_throw(b);
  expect_neuron(values, unit, Shape(), {1});
  expect_neuron(values, first, Shape(2, 2), {1, 2, 3, 4});
  expect_neuron(values, second, Shape(2, 2), {5, 6, 7, 8});
  expect_neuron(values, learnable, Shape::column(2), {5, 6});
  expect_neuron(values, again, Shape::column(2), {1, 2});
  EXPECT_EQ(values.begin.size(), 6u);
  EXPECT_EQ(values.begin.back(), values.values.size());
}

TEST(Reference, Units) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape::column(2), {3, 4});
  const NeuronId one = b.unit_fact(b.group("facts", NeuronClass::Fact));
  const GroupIndex layer = b.group("layer");
  const NeuronId weighted = b.neuron(layer, kPlainSum, {one}, {w});  // w * ONE = w
  const NeuronId plain = b.neuron(layer, kPlainSum, {one, weighted}, {kNoWeight, kNoWeight});
  const ReferenceValues values = evaluate_or_throw(b);
  expect_neuron(values, weighted, Shape::column(2), {3, 4});
  expect_neuron(values, plain, Shape::column(2), {4, 5});
}

TEST(Reference, EveryKindOfWeightTimesInput) {
  GraphBuilder b;
  const GroupIndex facts = b.group("facts", NeuronClass::Fact);
  const NeuronId s = b.fact(facts, 2);
  const NeuronId c = b.fact(facts, Shape::column(2), {1, 2});
  const NeuronId r = b.fact(facts, Shape::row(2), {1, 2});
  const NeuronId m = b.fact(facts, Shape(2, 2), {1, 2, 3, 4});
  const WeightId ws = b.weight("s", Shape(), {3});
  const WeightId wc = b.weight("c", Shape::column(2), {5, 6});
  const WeightId wr = b.weight("r", Shape::row(2), {5, 6});
  const WeightId wm = b.weight("m", Shape(3, 2), {1, 0, 0, 1, 1, 1});
  const GroupIndex layer = b.group("layer");
  const auto times = [&](WeightId w, NeuronId x) { return b.neuron(layer, kPlainSum, {x}, {w}); };
  const std::vector<std::tuple<NeuronId, Shape, std::vector<double>>> cases = {
      {times(ws, s), Shape(), {6}},
      {times(ws, m), Shape(2, 2), {3, 6, 9, 12}},
      {times(wc, s), Shape::column(2), {10, 12}},
      {times(wr, c), Shape(), {17}},
      {times(wc, r), Shape(2, 2), {5, 10, 6, 12}},
      {times(wm, c), Shape::column(3), {1, 2, 3}},
      {times(wr, m), Shape::row(2), {23, 34}},
      {times(wm, m), Shape(3, 2), {1, 2, 3, 4, 4, 6}},
  };
  const ReferenceValues values = evaluate_or_throw(b);
  for (const auto& [neuron, shape, value] : cases) expect_neuron(values, neuron, shape, value);
}

// Words belong to the neuron, not to the group.
TEST(Reference, WordsByNeuron) {
  GraphBuilder b;
  const GroupIndex facts = b.group("facts", NeuronClass::Fact);
  const NeuronId p = b.fact(facts, 0);
  const NeuronId q = b.fact(facts, std::log(3.0));
  const NeuronId attention = b.neuron(b.group("attention", NeuronClass::SplittableAggregation),
                                      function(Combination::Softmax), {p, q});
  const GroupIndex atoms = b.group("atoms", NeuronClass::Atom);
  const NeuronFunction at = function(Combination::Sum, Transformation::AtIndex);
  const NeuronId at1 = b.neuron(atoms, at, {attention}, {}, kNoWeight, {1});
  const NeuronId at0 = b.neuron(atoms, at, {attention}, {}, kNoWeight, {0});
  const NeuronId slice =
      b.neuron(b.group("slices"), function(Combination::Sum, Transformation::Slice), {attention},
               {}, kNoWeight, {1, kToEnd, 0, kToEnd});
  const ReferenceValues values = evaluate_or_throw(b);
  expect_neuron(values, attention, Shape::column(2), {0.25, 0.75});
  expect_neuron(values, at1, Shape(), {0.75});
  expect_neuron(values, at0, Shape(), {0.25});
  expect_neuron(values, slice, Shape::column(1), {0.75});
}

// A weighted group: each neuron reads its own part of the weight column.
TEST(Reference, WeightColumnsFollowTheEdges) {
  GraphBuilder b;
  const WeightId w = b.weight_table("w", 3, Shape(), {2, 3, 5});
  const NeuronId x = b.fact(b.group("facts", NeuronClass::Fact), 1);
  const GroupIndex layer = b.group("layer");
  const NeuronId first = b.neuron(layer, kPlainSum, {x, x}, {w, w + 1});
  const NeuronId second = b.neuron(layer, kPlainSum, {x, x, x}, {w + 2, kNoWeight, w + 1});
  const ReferenceValues values = evaluate_or_throw(b);
  expect_neuron(values, first, Shape(), {5});
  expect_neuron(values, second, Shape(), {9});
}

// n0 reads n1 reads ... reads the fact, whatever their numbers are.
TEST(Reference, DoesNotDependOnTheOrderOfNeurons) {
  GraphBuilder b;
  const GroupIndex layer = b.group("layer");
  const NeuronFunction reverse = function(Combination::Sum, Transformation::Reverse);
  const NeuronId first = b.neuron(layer, reverse, {});
  const NeuronId second = b.neuron(layer, reverse, {});
  const NeuronId fact = b.fact(b.group("facts", NeuronClass::Fact), 5);
  const NeuronId third = b.neuron(layer, reverse, {fact});
  b.set_inputs(first, {second, third});
  b.set_inputs(second, {third, fact, third});
  const ReferenceValues values = evaluate_or_throw(b);
  expect_neuron(values, third, Shape(), {-4});
  expect_neuron(values, second, Shape(), {4});
  expect_neuron(values, first, Shape(), {1});
}

// 300,000 neurons deep, in the worst order: no recursion anywhere.
TEST(Reference, DeepChains) {
  constexpr NeuronId kDepth = 300'000;
  GraphBuilder b;
  const WeightId one = b.weight("one", Shape(), {1});
  const GroupIndex layer = b.group("layer");
  for (NeuronId n = 0; n < kDepth; ++n) b.neuron(layer, kPlainSum, {}, {}, one);
  const NeuronId fact = b.fact(b.group("facts", NeuronClass::Fact), 5);
  for (NeuronId n = 0; n < kDepth; ++n) b.set_inputs(n, {n + 1 < kDepth ? n + 1 : fact});
  expect_neuron(evaluate_or_throw(b), 0, Shape(), {5.0 + kDepth});
}

TEST(Reference, CyclesAreErrors) {
  GraphBuilder b;
  const GroupIndex layer = b.group("layer");
  const NeuronId first = b.neuron(layer, kPlainSum, {});
  const NeuronId second = b.neuron(layer, kPlainSum, {first});
  b.set_inputs(first, {second});
  EXPECT_EQ(reference_error(b),
            "group 0 \"layer\", neuron 0: error: the neuron reads its own value [E013]");
}

TEST(Reference, ErrorsNameThePlace) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape::column(3), {1, 2, 3});
  const GroupIndex facts = b.group("facts", NeuronClass::Fact);
  const GroupIndex layer = b.group("layer_\n1");
  const NeuronId x4 = b.fact(facts, Shape::column(4), {1, 2, 3, 4});
  const NeuronId x2 = b.fact(facts, Shape::column(2), {1, 2});
  const NeuronId s = b.fact(facts, 1);
  const NeuronId bad = b.neuron(layer, kPlainSum, {s, x2, x4}, {w, kNoWeight, w});
  b.neuron(layer, function(Combination::Sum, Transformation::Softmax), {s});
  b.neuron(layer, kPlainSum, {x2, x4});
  b.neuron(layer, kPlainSum, {x2}, {}, kNoWeight, {}, Shape::row(2));
  b.neuron(layer, function(Combination::Sum, Transformation::AtIndex), {x2}, {}, kNoWeight, {2});
  b.neuron(layer, kPlainSum, {bad});  // has no error of its own
  EXPECT_EQ(
      reference_error(b),
      "group 1 \"layer_\\n1\", neuron 3, input 2: error: weight 3x1 times input 4x1: the weight "
      "has "
      "1 columns, expected the input's 4 rows [E014]\n"
      "group 1 \"layer_\\n1\", neuron 4: error: softmax of a scalar, expected a vector or a matrix "
      "[E017]\n"
      "group 1 \"layer_\\n1\", neuron 5: error: sum of 2x1 and 4x1 (element 1): expected equal "
      "shapes, vectors of equal length or scalars [E014]\n"
      "group 1 \"layer_\\n1\", neuron 6: error: has shape 2x1, but declares 1x2 [E014]\n"
      "group 1 \"layer_\\n1\", neuron 7: error: atindex 2 of 2x1, expected below 2 [E018]");
}

TEST(Reference, ManyErrorsAreCounted) {
  GraphBuilder b;
  const GroupIndex layer = b.group("layer");
  for (int i = 0; i < 25; ++i) b.neuron(layer, function(Combination::Max), {});
  const auto values = evaluate_reference(b.build());
  ASSERT_FALSE(values.has_value());
  EXPECT_EQ(values.error().list().size(), 20u);
  EXPECT_EQ(values.error().omitted(), 5u);
}

TEST(Reference, WeightsWithoutValuesAreNamedOnce) {
  GraphBuilder b;
  const WeightId w = b.weight_table("w \x1b", 2, Shape(), {});
  b.weight("unused", Shape(), {});
  const NeuronId x = b.fact(b.group("facts", NeuronClass::Fact), 1);
  const GroupIndex layer = b.group("layer");
  b.neuron(layer, kPlainSum, {x, x}, {w, w + 1});
  b.neuron(layer, kPlainSum, {x}, {w}, w);
  EXPECT_EQ(
      reference_error(b),
      "group 1 \"layer\", neuron 1: error: uses weight table \"w \\x1b\", which has no values "
      "[E023]");
}

TEST(Reference, AHugeOuterProductIsRefused) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape::column(5000), std::vector<double>(5000, 1.0));
  const NeuronId x =
      b.fact(b.group("facts", NeuronClass::Fact), Shape::row(5000), std::vector<double>(5000, 1.0));
  b.neuron(b.group("n"), kPlainSum, {x}, {w});
  EXPECT_EQ(reference_error(b),
            "group 1 \"n\", neuron 1, input 0: error: weight 5000x1 times input 1x5000 makes "
            "5000x5000, more than 16777216 elements [E044]");
}

TEST(Reference, EmptyGraph) {
  const auto values = evaluate_reference(GraphBuilder().build());
  ASSERT_TRUE(values.has_value());
  EXPECT_TRUE(values->values.empty());
}

}  // namespace
}  // namespace vecc::test
