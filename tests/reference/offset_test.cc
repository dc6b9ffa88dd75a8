// The offset is element 0 of the list, for every combination.
#include <cmath>

#include "tests/reference/reference_check.h"

namespace vecc::test {
namespace {

struct OffsetCase {
  NeuronFunction function;
  Shape offset_shape;
  std::vector<double> offset;
  std::vector<double> inputs;  // scalars, or one column
  bool one_column = false;
  Shape shape;
  std::vector<double> value;
};

std::vector<OffsetCase> offset_cases() {
  using enum Combination;
  const double ln3 = std::log(3.0);
  const Shape s;
  return {
      {function(Sum), s, {10}, {1, 2}, false, s, {13}},
      {function(Avg), s, {9}, {1, 2}, false, s, {4}},  // counts the offset
      {function(Max), s, {2}, {1, 2}, false, s, {2}},
      {function(Max), Shape::column(2), {3, 0}, {1, 2}, true, Shape::column(2), {3, 0}},  // a tie
      {function(Min), Shape::column(2), {0, 3}, {1, 2}, true, Shape::column(2), {0, 3}},
      {function(Count), s, {9}, {1, 2}, false, s, {3}},
      {function(Concat), s, {9}, {1, 2}, false, Shape::column(3), {9, 1, 2}},
      {concat_function(0), Shape::column(2), {8, 9}, {1, 2}, true, Shape::column(4), {8, 9, 1, 2}},
      {function(Softmax), s, {0}, {ln3, 0}, false, Shape::column(3), {0.2, 0.6, 0.2}},
      {function(Sparsemax), s, {0.5}, {0.9, -1}, false, Shape::column(3), {0.3, 0.7, 0}},
      {function(Product), Shape::row(2), {3, 4}, {1, 2}, true, s, {11}},
      {function(ElProduct), s, {5}, {2, 3}, false, s, {30}},
      {function(CrossSum),
       Shape::column(2),
       {10, 20},
       {1, 2},
       true,
       Shape::column(4),
       {11, 12, 21, 22}},
      {function(CosSim), Shape::column(2), {4, 3}, {3, 4}, true, s, {0.96}},
      {function_graph("elproduct(sum($0, $1), $2)"), s, {10}, {1, 2}, false, s, {22}},
  };
}

TEST(Offset, IsElementZeroOfEveryCombination) {
  std::vector<bool> covered(combinations().size());
  for (const OffsetCase& c : offset_cases()) {
    GraphBuilder b;
    const WeightId offset = b.weight("offset", c.offset_shape, c.offset);
    const GroupIndex facts = b.group("fact", NeuronClass::Fact);
    GraphBuilder::Inputs inputs;
    if (c.one_column) {
      inputs.push_back(b.fact(facts, Shape::column(2), c.inputs));
    } else {
      for (const double input : c.inputs) inputs.push_back(b.fact(facts, input));
    }
    const NeuronId n = b.neuron(b.group("n"), c.function, inputs, {}, offset);
    expect_neuron(evaluate_or_throw(b), n, c.shape, c.value, c.function.text());
    covered[static_cast<std::size_t>(c.function.combination)] = true;
  }
  for (const CombinationInfo& about : combinations()) {
    EXPECT_TRUE(covered[static_cast<std::size_t>(about.id)]) << about.text;
  }
}

TEST(Offset, ComesBeforeWeightedInputs) {
  GraphBuilder b;
  const WeightId offset = b.weight("offset", Shape(), {7});
  const WeightId w = b.weight("w", Shape(), {2});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, 1);
  const NeuronId y = b.fact(facts, 3);
  const NeuronId n =
      b.neuron(b.group("n"), function(Combination::Concat), {x, y}, {kNoWeight, w}, offset);
  expect_neuron(evaluate_or_throw(b), n, Shape::column(3), {7, 1, 6});
}

// Of a group's offset column, some neurons may have none.
TEST(Offset, MayBeMissingForOneNeuronOfAGroup) {
  GraphBuilder b;
  const WeightId offset = b.weight("offset", Shape(), {7});
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), 1);
  const GroupIndex layer = b.group("layer");
  const NeuronFunction count = function(Combination::Count, Transformation::Reverse);
  const NeuronId with = b.neuron(layer, count, {x, x}, {}, offset);
  const NeuronId without = b.neuron(layer, count, {x, x});
  const ReferenceValues values = evaluate_or_throw(b);
  expect_neuron(values, with, Shape(), {-2});
  expect_neuron(values, without, Shape(), {-1});
}

}  // namespace
}  // namespace vecc::test
