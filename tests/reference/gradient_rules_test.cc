// What the rules about lists of elements mean for gradients: the offset is element 0, one element
// skips the combination, no element passes nothing on.
#include <cmath>

#include "tests/reference/gradient_check.h"

namespace vecc::test {
namespace {

struct ListCase {
  NeuronFunction function;
  std::vector<std::pair<Shape, std::vector<double>>> elements;
};

std::vector<ListCase> list_cases() {
  using enum Combination;
  const Shape s;
  const Shape column = Shape::column(2);
  return {
      {function(Sum), {{s, {10}}, {s, {1}}, {s, {2}}}},
      {function(Avg), {{column, {9, 3}}, {s, {1}}, {column, {2, 0}}}},
      {function(Max), {{column, {3, 0}}, {column, {1, 2}}}},
      {function(Min), {{column, {0, 3}}, {column, {1, 1}}}},
      {function(Count), {{s, {9}}, {column, {1, 2}}}},
      {function(Concat), {{s, {9}}, {column, {1, 2}}}},
      {concat_function(0), {{column, {8, 9}}, {column, {1, 2}}}},
      {function(Softmax), {{s, {0}}, {s, {1}}, {s, {-1}}}},
      {function(Sparsemax), {{s, {0.5}}, {s, {0.9}}, {s, {-1}}}},
      {function(Product), {{Shape::row(2), {3, 4}}, {column, {1, 2}}, {s, {5}}}},
      {function(ElProduct), {{s, {5}}, {column, {2, 3}}, {s, {0}}}},
      {function(CrossSum), {{column, {10, 20}}, {column, {1, 2}}}},
      {function(CosSim), {{column, {4, 3}}, {column, {3, 4}}}},
      {function_graph("elproduct(sum($0, $1), $2)"), {{s, {10}}, {s, {1}}, {s, {2}}}},
  };
}

// The gradients of all elements, the first being an offset or a fact.
std::vector<std::vector<double>> list_gradients(const ListCase& c, bool offset) {
  GraphBuilder b;
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  std::vector<WeightId> weights;
  GraphBuilder::Inputs inputs;
  for (const auto& [shape, values] : c.elements) {
    weights.push_back(b.weight("w" + std::to_string(weights.size()), shape, values));
    if (!offset || weights.size() > 1) inputs.push_back(b.learnable_fact(facts, weights.back()));
  }
  const NeuronId n =
      b.neuron(b.group("n"), c.function, inputs, {}, offset ? weights[0] : kNoWeight);
  b.sample(n);
  const NeuronGraph graph = b.build();
  const auto size = evaluate_reference(graph).value().value(n).size();
  std::vector<double> g;
  for (std::size_t i = 0; i < size; ++i) g.push_back(static_cast<double>(i * i) + 1);
  const ReferenceGradients found = differentiate_or_throw(graph, g);
  std::vector<std::vector<double>> result;
  for (const WeightId w : weights) {
    result.emplace_back(found.weight(w).begin(), found.weight(w).end());
  }
  return result;
}

TEST(GradientRules, OffsetIsElementZeroOfEveryCombination) {
  std::vector<bool> covered(combinations().size());
  for (const ListCase& c : list_cases()) {
    EXPECT_EQ(list_gradients(c, true), list_gradients(c, false)) << c.function.text();
    covered[static_cast<std::size_t>(c.function.combination)] = true;
  }
  for (const CombinationInfo& about : combinations()) {
    EXPECT_TRUE(covered[static_cast<std::size_t>(about.id)]) << about.text;
  }
}

// One element without an offset: only T applies, or the value is the constant 1.
TEST(GradientRules, OneElementSkipsTheCombination) {
  for (const CombinationInfo& about : combinations()) {
    if (about.id == Combination::FunctionGraph) continue;  // applied to one element too
    for (const bool transformed : {false, true}) {
      GraphBuilder b;
      const WeightId w = b.weight("w", Shape(), {2});
      const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), 0.5);
      const NeuronId n = b.neuron(
          b.group("n"),
          function(about.id, transformed ? Transformation::Square : Transformation::Identity), {x},
          {w});
      b.sample(n);
      const bool is_one = about.single == CombinationSingle::One && !transformed;
      const ReferenceGradients g = differentiate_or_throw(b.build(), {3});
      const double slope = is_one ? 0 : 3 * (transformed ? 2 * (2 * 0.5) : 1);
      expect_gradient(g.weight(w), {0.5 * slope}, std::string(about.text));
      expect_gradient(g.neuron(x), {2 * slope}, std::string(about.text));
    }
  }
}

TEST(GradientRules, OneOffsetAloneIsTheElement) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape::column(2), {2, 3});
  b.sample(b.neuron(b.group("n"), function(Combination::Max, Transformation::Square), {}, {}, w));
  expect_gradient(differentiate_or_throw(b.build(), {1, 10}).weight(w), {4, 60});
}

TEST(GradientRules, AFunctionGraphOfOneElementIsApplied) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {3});
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), 2);
  b.sample(b.neuron(b.group("n"), function_graph("elproduct($0, $0)"), {x}, {w}));
  expect_gradient(differentiate_or_throw(b.build(), {1}).weight(w), {24});  // 2 w x^2
}

// Nothing to pass on to; what reads them gets its own gradient.
TEST(GradientRules, NoElements) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {3});
  const GroupIndex empty = b.group("empty");
  const Shape column = Shape::column(2);
  const NeuronId sum = b.neuron(empty, function(Combination::Sum), {}, {}, kNoWeight, {}, column);
  const NeuronId avg = b.neuron(empty, function(Combination::Avg), {}, {}, kNoWeight, {}, column);
  const NeuronId count = b.neuron(empty, function(Combination::Count), {});
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), column, {5, 6});
  b.sample(b.neuron(b.group("out"), function(Combination::Sum), {sum, avg, count, x},
                    {w, kNoWeight, w, w}));
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1, 10});
  expect_gradient(g.neuron(sum), {3, 30});
  expect_gradient(g.neuron(avg), {1, 10});
  expect_gradient(g.neuron(count), {33});
  expect_gradient(g.weight(w), {65});  // only x is not zero
}

}  // namespace
}  // namespace vecc::test
