// Gradients of small graphs, worked out by hand.
#include <cmath>

#include "tests/reference/gradient_check.h"

namespace vecc::test {
namespace {

const NeuronFunction kSum = function(Combination::Sum);

TEST(Gradients, OfAWeightThatSeveralNeuronsRead) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {5});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, 2);
  const NeuronId y = b.fact(facts, 3);
  const NeuronId sum = b.neuron(b.group("sum"), kSum, {x, y}, {w, w});
  const NeuronId out = b.neuron(b.group("out"), kSum, {sum}, {w});
  b.sample(out);  // w^2 (x + y)
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1});
  expect_gradient(g.weight(w), {50});
  expect_gradient(g.neuron(x), {25});
  expect_gradient(g.neuron(sum), {5});
  expect_gradient(g.neuron(out), {1});
}

TEST(Gradients, OfANeuronThatIsReadTwiceAndByTwo) {
  GraphBuilder b;
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), 3);
  const GroupIndex layer = b.group("layer");
  const NeuronId square = b.neuron(layer, function(Combination::ElProduct), {x, x});
  const NeuronId exp = b.neuron(layer, function(Combination::Sum, Transformation::Exp), {x});
  b.sample(b.neuron(b.group("out"), kSum, {square, exp, x}));
  const ReferenceGradients g = differentiate_or_throw(b.build(), {2});
  expect_gradient(g.neuron(x), {2 * (6 + std::exp(3) + 1)});
}

// Not zero times infinity: what is counted is not read.
TEST(Gradients, OfAProductThatIsCounted) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {5});
  const NeuronId zero = b.fact(b.group("fact", NeuronClass::Fact), 0);
  const NeuronId pole =
      b.neuron(b.group("pole"), function(Combination::Sum, Transformation::Inverse), {zero});
  const GroupIndex layer = b.group("layer");
  const NeuronId count = b.neuron(layer, function(Combination::Count), {pole, zero}, {w, w});
  b.sample(b.neuron(b.group("out"), kSum, {count, zero}, {w, w}));  // 2 w
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1});
  expect_gradient(g.weight(w), {2});
  expect_gradient(g.neuron(pole), {0});
}

// The member that max did not select gets nothing, however infinite what it is multiplied by.
TEST(Gradients, OfAProductThatIsNotSelected) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {-1});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId zero = b.fact(facts, 0);
  const NeuronId two = b.fact(facts, 2);
  const NeuronId pole =
      b.neuron(b.group("pole"), function(Combination::Sum, Transformation::Inverse), {zero});
  b.sample(b.neuron(b.group("max"), function(Combination::Max), {pole, two}, {w, w}));
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1});
  expect_gradient(g.weight(w), {2});
  expect_gradient(g.neuron(two), {-1});
  expect_gradient(g.neuron(pole), {0});
}

TEST(Gradients, OfMatricesVectorsAndScalars) {
  GraphBuilder b;
  const WeightId matrix = b.weight("matrix", Shape(2, 3), {1, 2, 3, 4, 5, 6});
  const WeightId row = b.weight("row", Shape::row(2), {7, 8});
  const WeightId scale = b.weight("scale", Shape(), {10});
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), Shape::column(3), {1, 0, -1});
  const NeuronId y = b.neuron(b.group("y"), kSum, {x}, {matrix});  // (-2, -2)
  const NeuronId z = b.neuron(b.group("z"), kSum, {y}, {scale});   // (-20, -20)
  b.sample(b.neuron(b.group("dot"), kSum, {z}, {row}));            // -300
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1});
  expect_gradient(g.weight(row), {-20, -20});
  expect_gradient(g.neuron(z), {7, 8});
  expect_gradient(g.weight(scale), {-30});  // the sum over the entries of g * y
  expect_gradient(g.neuron(y), {70, 80});
  expect_gradient(g.weight(matrix), {70, 0, -70, 80, 0, -80});  // g x^T
  expect_gradient(g.neuron(x), {390, 540, 690});                // W^T g
}

TEST(Gradients, OfAScalarBroadcastIntoAVector) {
  GraphBuilder b;
  const WeightId offset = b.weight("offset", Shape(), {1});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, 2);
  const NeuronId column = b.fact(facts, Shape::column(2), {3, 4});
  const NeuronId row = b.fact(facts, Shape::row(2), {5, 6});
  const NeuronFunction squares = function(Combination::Sum, Transformation::Square);
  b.sample(b.neuron(b.group("n"), squares, {x, column, row}, {}, offset));  // (11, 13)^2
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1, 10});
  expect_gradient(g.neuron(row), {22, 260});
  expect_gradient(g.neuron(column), {22, 260});
  expect_gradient(g.neuron(x), {282});
  expect_gradient(g.weight(offset), {282});
}

TEST(Gradients, OfLearnableFacts) {
  GraphBuilder b;
  const WeightId embedding = b.weight_table("embedding", 2, Shape::column(2), {1, 2, 3, 4});
  const WeightId fixed = b.weight("fixed", Shape(), {6}, /*learnable=*/false);
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId first = b.learnable_fact(facts, embedding);
  const NeuronId again = b.learnable_fact(facts, embedding);
  const NeuronId second = b.learnable_fact(facts, embedding + 1);
  const NeuronId constant = b.learnable_fact(facts, fixed);
  b.sample(b.neuron(b.group("n"), function(Combination::ElProduct),
                    {first, again, second, constant}));  // (18, 96)
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1, 1});
  expect_gradient(g.neuron(first), {18, 48});
  expect_gradient(g.weight(embedding), {36, 96});  // of both facts
  expect_gradient(g.weight(embedding + 1), {6, 24});
  expect_gradient(g.neuron(constant), {3 + 16});
  expect_gradient(g.weight(fixed), {});
}

TEST(Gradients, PassThroughFixedWeightsThatHaveNone) {
  GraphBuilder b;
  const WeightId fixed = b.weight("fixed", Shape(2, 2), {1, 2, 3, 4}, /*learnable=*/false);
  const WeightId offset = b.weight("offset", Shape::column(2), {1, 1}, /*learnable=*/false);
  const WeightId free = b.weight("free", Shape::column(2), {1, 1});
  const NeuronId x = b.learnable_fact(b.group("fact", NeuronClass::Fact), free);
  b.sample(b.neuron(b.group("n"), kSum, {x}, {fixed}, offset));
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1, 1});
  expect_gradient(g.weight(fixed), {});
  expect_gradient(g.weight(offset), {});
  expect_gradient(g.weight(free), {4, 6});
}

TEST(Gradients, AreSummedOverSamples) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {2});
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), 3);
  const GroupIndex layer = b.group("layer");
  const NeuronId y = b.neuron(layer, kSum, {x}, {w});
  const NeuronId z = b.neuron(layer, kSum, {y}, {w});
  b.sample(z);
  b.sample(y);  // inside the first one's graph
  b.sample(y);
  b.sample(x);  // a fact
  const NeuronGraph graph = b.build();
  const ReferenceGradients g = differentiate_or_throw(graph, {1, 10, 20, 1000});
  expect_gradient(g.neuron(y), {2 + 30});
  expect_gradient(g.weight(w), {12 + 90});  // dz/dw = 2 w x; dy/dw = x
  expect_gradient(g.neuron(x), {4 + 60 + 1000});
  // Of one sample, the others without a gradient.
  expect_gradient(differentiate_or_throw(graph, {1, 0, 0, 0}).weight(w), {12});
  expect_gradient(differentiate_or_throw(graph, {0, 0, 0, 0}).weight(w), {0});
}

TEST(Gradients, OfAttentionReadThroughAtIndex) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {std::log(3.0)});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId zero = b.fact(facts, 0);
  const NeuronId one = b.fact(facts, 1);
  const NeuronId both = b.neuron(b.group("softmax", NeuronClass::SplittableAggregation),
                                 function(Combination::Softmax), {zero, one}, {kNoWeight, w});
  const GroupIndex atoms = b.group("attention");
  const NeuronFunction at = function(Combination::Sum, Transformation::AtIndex);
  b.sample(b.neuron(atoms, at, {both}, {}, kNoWeight, {0}));
  b.sample(b.neuron(atoms, at, {both}, {}, kNoWeight, {1}));
  const ReferenceGradients g = differentiate_or_throw(b.build(), {4, 8});
  expect_gradient(g.neuron(both), {4, 8});
  expect_gradient(g.weight(w), {0.75 * (8 - 7)});  // y (g - y . g), y . g = 1 + 6
  expect_gradient(g.neuron(zero), {0.25 * (4 - 7)});
}

// A derivative may be infinite where no gradient comes from.
TEST(Gradients, DoNotLeaveWhatNoOutputDependsOn) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {0});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, 1);
  const NeuronId zeros = b.fact(facts, Shape::column(2), {0, 0});
  const GroupIndex layer = b.group("layer");
  const NeuronId cosine = b.neuron(layer, function(Combination::CosSim), {zeros, zeros});  // NaN
  const NeuronId root = b.neuron(layer, function(Combination::Sum, Transformation::Sqrt), {x}, {w});
  const NeuronId unread = b.neuron(b.group("unread"), kSum, {root});
  const NeuronId off =
      b.neuron(b.group("off"), function(Combination::Sum, Transformation::Relu), {root});
  b.sample(b.neuron(b.group("out"), kSum, {x, off}));
  const ReferenceGradients g = differentiate_or_throw(b.build(), {1});
  expect_gradient(g.neuron(unread), {0});
  expect_gradient(g.neuron(cosine), {0});
  expect_gradient(g.neuron(zeros), {0, 0});
  expect_gradient(g.neuron(off), {1});
  expect_gradient(g.neuron(root), {0});
  expect_gradient(g.weight(w), {0});
  expect_gradient(g.neuron(x), {1});
}

TEST(Gradients, NeedOneNumberAnElementOfEveryOutput) {
  GraphBuilder b;
  const NeuronId x = b.fact(b.group("fact", NeuronClass::Fact), Shape::column(2), {1, 2});
  b.sample(x);
  b.sample(x);
  const NeuronGraph graph = b.build();
  const auto values = evaluate_reference(graph).value();
  for (const std::size_t count : {0, 3, 5}) {
    const auto gradients = differentiate_reference(graph, values, std::vector<double>(count));
    ASSERT_FALSE(gradients);
    EXPECT_EQ(gradients.error().text(),
              "output gradients: error: " + std::to_string(count) +
                  " numbers, expected 4: one an element of every sample's output [E050]");
  }
}

}  // namespace
}  // namespace vecc::test
