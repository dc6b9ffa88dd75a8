// Exactly one element skips the combination; no element at all.
#include "tests/reference/reference_check.h"

namespace vecc::test {
namespace {

// What one element makes of a combination, without and with a transformation.
enum class Single { Element, One };

Single single_of(Combination combination) {
  switch (combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::Max:
    case Combination::Min:
    case Combination::Concat:
    case Combination::Product:
    case Combination::ElProduct:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: return Single::Element;
    case Combination::Count:
    case Combination::Softmax:
    case Combination::Sparsemax: return Single::One;
  }
  return Single::Element;
}

NeuronFunction function_of(Combination combination,
                           Transformation transformation = Transformation::Identity) {
  return combination == Combination::FunctionGraph ? function_graph("$0", transformation)
                                                   : function(combination, transformation);
}

TEST(SkipRule, OneElementOfEveryCombination) {
  for (const CombinationInfo& about : combinations()) {
    const std::string name(about.text);
    GraphBuilder b;
    const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), Shape::row(2), {3, -4});
    const GroupIndex layer = b.group("layer");
    const NeuronId plain = b.neuron(layer, function_of(about.id), {x});
    const NeuronId relu = b.neuron(layer, function_of(about.id, Transformation::Relu), {x});
    const ReferenceValues values = evaluate_or_throw(b);
    if (single_of(about.id) == Single::Element) {
      expect_neuron(values, plain, Shape::row(2), {3, -4}, name);
    } else {
      expect_neuron(values, plain, Shape(), {1}, name);
    }
    expect_neuron(values, relu, Shape::row(2), {3, 0}, name + " relu");
  }
}

TEST(SkipRule, CountsTheOffset) {
  for (const CombinationInfo& about : combinations()) {
    const std::string name(about.text);
    GraphBuilder b;
    const WeightId offset = b.weight("offset", Shape::column(2), {3, -4});
    const GroupIndex layer = b.group("layer");
    const NeuronId plain = b.neuron(layer, function_of(about.id), {}, {}, offset);
    const NeuronId abs =
        b.neuron(layer, function_of(about.id, Transformation::Abs), {}, {}, offset);
    const ReferenceValues values = evaluate_or_throw(b);
    if (single_of(about.id) == Single::Element) {
      expect_neuron(values, plain, Shape::column(2), {3, -4}, name);
    } else {
      expect_neuron(values, plain, Shape(), {1}, name);
    }
    expect_neuron(values, abs, Shape::column(2), {3, 4}, name + " abs");
  }
}

// NeuraLogic's ONE swallows what is added to it; vecc adds.
TEST(SkipRule, OneIsAnOrdinaryNumberToItsReaders) {
  GraphBuilder b;
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), 5);
  const NeuronId one = b.neuron(b.group("count"), function(Combination::Count), {x});
  const NeuronId sum = b.neuron(b.group("sum"), function(Combination::Sum), {one, x});
  expect_neuron(evaluate_or_throw(b), sum, Shape(), {6});
}

// A weighted single input is multiplied first.
TEST(SkipRule, KeepsTheWeight) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(2, 2), {1, 2, 3, 4});
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), Shape::column(2), {1, 1});
  const NeuronId n =
      b.neuron(b.group("n"), function(Combination::CrossSum, Transformation::Square), {x}, {w});
  expect_neuron(evaluate_or_throw(b), n, Shape::column(2), {9, 49});
}

// A FunctionGraph of one input is still its tree.
TEST(SkipRule, DoesNotHoldForFunctionGraphs) {
  GraphBuilder b;
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), 3);
  const NeuronId n = b.neuron(b.group("n"), function_graph("elproduct($0, $0)"), {x});
  expect_neuron(evaluate_or_throw(b), n, Shape(), {9});
}

TEST(NoInputs, SumAndAvgAreZeroOfTheDeclaredShapeAndCountIsZero) {
  GraphBuilder b;
  const GroupIndex layer = b.group("layer");
  const Shape r3 = Shape::row(3);
  const auto exp = Transformation::Exp;
  const NeuronId sum =
      b.neuron(layer, function(Combination::Sum), {}, {}, kNoWeight, {}, Shape(2, 2));
  const NeuronId avg = b.neuron(layer, function(Combination::Avg, exp), {}, {}, kNoWeight, {}, r3);
  const NeuronId count = b.neuron(layer, function(Combination::Count), {});
  const NeuronId exp_count = b.neuron(layer, function(Combination::Count, exp), {});
  const ReferenceValues values = evaluate_or_throw(b);
  expect_neuron(values, sum, Shape(2, 2), {0, 0, 0, 0});
  expect_neuron(values, avg, r3, {1, 1, 1});
  expect_neuron(values, count, Shape(), {0});
  expect_neuron(values, exp_count, Shape(), {1});
}

TEST(NoInputs, OthersAreErrors) {
  for (const CombinationInfo& about : combinations()) {
    GraphBuilder b;
    b.neuron(b.group("n"), function_of(about.id), {});
    const std::string problem =
        about.id == Combination::Count ? "no error"
        : about.id == Combination::Sum || about.id == Combination::Avg
            ? "group 0 \"n\", neuron 0: error: has no inputs and no declared shape [E020]"
            : "group 0 \"n\", neuron 0: error: " + std::string(about.text) +
                  " has no inputs [E020]";
    EXPECT_EQ(reference_error(b), problem);
  }
}

}  // namespace
}  // namespace vecc::test
