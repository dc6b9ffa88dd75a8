// Every combination's lowering, softmax over members among them.
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"
#include "tests/vectorize/vectorize_check.h"

namespace vecc::test {
namespace {

TEST(Lowering, EveryCombinationWithOffsetWeightsAndBothFanIns) {
  for (const CombinationInfo& about : combinations()) {
    if (about.id == Combination::FunctionGraph) continue;
    for (const std::size_t fan_in : {1u, 2u, 3u}) {
      for (const bool with_offset : {false, true}) {
        const std::size_t elements = fan_in + (with_offset ? 1 : 0);
        if (about.id == Combination::CosSim && elements != 2) continue;
        GraphBuilder b;
        const bool scalars =
            about.shapes == CombinationShapes::Scalars || about.id == Combination::Product;
        const Shape shape = scalars ? Shape() : Shape::column(2);
        const WeightId w =
            b.weight("w", scalars ? Shape() : Shape(2, 2),
                     scalars ? std::vector<double>{.4} : std::vector<double>{.1, -.7, .5, .3});
        const WeightId offset =
            b.weight("o", shape, scalars ? std::vector<double>{.9} : std::vector<double>{.9, .2});
        const GroupIndex facts = b.group("f", NeuronClass::Fact);
        std::vector<NeuronId> x;
        for (std::size_t i = 0; i < fan_in; ++i) {
          std::vector<double> values(shape.size());
          for (std::size_t k = 0; k < values.size(); ++k) values[k] = .3 + .21 * i - .5 * k;
          x.push_back(b.fact(facts, shape, values));
        }
        std::vector<WeightId> weights(fan_in, kNoWeight);
        weights.back() = w;
        const GroupIndex h = b.group("h");
        const NeuronId n =
            b.neuron(h, function(about.id), x, weights, with_offset ? offset : kNoWeight);
        b.neuron(h, function(about.id), x, weights, with_offset ? offset : kNoWeight);
        b.sample(b.neuron(b.group("q"), function(Combination::Sum, Transformation::Tanh), {n}));
        SCOPED_TRACE(std::string(about.text) + " of " + std::to_string(fan_in) +
                     (with_offset ? " and an offset" : ""));
        check_vectorize(b.build());
      }
    }
  }
}

TEST(Lowering, SoftmaxAttentionIsOneRaggedSegment) {
  GraphBuilder b;
  const GroupIndex facts = b.group("score", NeuronClass::Fact);
  const GroupIndex attention = b.group("attention", NeuronClass::SplittableAggregation);
  const GroupIndex share = b.group("share", NeuronClass::Atom);
  double score = 0;
  for (const std::uint32_t members : {3u, 1u, 5u, 2u}) {
    std::vector<NeuronId> scores;
    for (std::uint32_t k = 0; k < members; ++k) scores.push_back(b.fact(facts, score += .37));
    const NeuronId softmax = b.neuron(attention, function(Combination::Softmax), scores);
    for (std::uint32_t k = 0; k < members; ++k) {
      b.sample(b.neuron(share, function(Combination::Sum, Transformation::AtIndex), {softmax}, {},
                        kNoWeight, {members - 1 - k}));
    }
  }
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(count_ops(v.program, OpKind::Segment), 1u);
  EXPECT_EQ(count_ops(v.program, OpKind::Transform), 0u);
  EXPECT_EQ(rows_of_first(v.program, OpKind::Segment), 11u);
}

TEST(Lowering, ASoftmaxReadAsAColumnIsPacked) {
  GraphBuilder b;
  const GroupIndex facts = b.group("score", NeuronClass::Fact);
  const WeightId w = b.weight("w", Shape::row(2), {1, -1});
  const NeuronId x = b.fact(facts, .1);
  const NeuronId y = b.fact(facts, .7);
  const GroupIndex softmax = b.group("softmax");
  const NeuronId two = b.neuron(softmax, function(Combination::Softmax), {x, y});
  const NeuronId one = b.neuron(softmax, function(Combination::Softmax), {x});
  const NeuronId three = b.neuron(softmax, function(Combination::Sparsemax), {x, y, y});
  b.sample(b.neuron(b.group("q"), function(Combination::Sum), {two}, {w}));
  b.sample(b.neuron(b.group("r"), function(Combination::Sum), {one}));
  b.sample(three);
  b.sample(b.neuron(b.group("s"), function(Combination::Sum, Transformation::AtIndex), {two}, {},
                    kNoWeight, {1}));
  check_vectorize(b.build());
}

TEST(Lowering, AnExpressionOverASoftmaxIsNoMemberRead) {
  GraphBuilder b;
  const GroupIndex facts = b.group("score", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, .1);
  const NeuronId y = b.fact(facts, .7);
  const NeuronId softmax = b.neuron(b.group("softmax"), function(Combination::Softmax), {x, y});
  b.sample(b.neuron(b.group("q"), function_graph("tanh($0)", Transformation::AtIndex), {softmax},
                    {}, kNoWeight, {1}));
  check_vectorize(b.build());
}

TEST(Lowering, WordsDifferInsideALayer) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, Shape(4, 2), {1, 2, 3, 4, 5, 6, 7, 8});
  const GroupIndex slices = b.group("slice");
  const NeuronFunction slice = function(Combination::Sum, Transformation::Slice);
  b.sample(b.neuron(slices, slice, {x}, {}, kNoWeight, {0, 2, 0, kToEnd}));
  b.sample(b.neuron(slices, slice, {x}, {}, kNoWeight, {1, 3, 0, kToEnd}));
  b.sample(b.neuron(slices, slice, {x}, {}, kNoWeight, {1, 2, 0, 1}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(count_ops(v.program, OpKind::Transform), 2u);
}

TEST(Lowering, FunctionGraphIsOneMap) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const WeightId w = b.weight("w", Shape(2, 2), {1, 2, 3, 4});
  const NeuronId x = b.fact(facts, Shape::column(2), {1, 2});
  const NeuronId y = b.fact(facts, Shape::column(2), {-1, .5});
  const NeuronFunction gate =
      function_graph("elproduct(sum($0, $1), sigmoid($2))", Transformation::Tanh);
  const GroupIndex h = b.group("h");
  b.sample(b.neuron(h, gate, {x, y, x}, {w, kNoWeight, w}));
  b.sample(b.neuron(h, gate, {y, y, y}, {w, kNoWeight, w}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(count_ops(v.program, OpKind::Map), 1u);
}

TEST(Lowering, EmptySumsAreZeroOfTheDeclaredShape) {
  GraphBuilder b;
  const GroupIndex h = b.group("h");
  const NeuronId x = b.fact(b.group("f", NeuronClass::Fact), Shape::column(2), {1, 2});
  b.sample(b.neuron(h, function(Combination::Avg), {x, x}, {}, kNoWeight, {}, Shape::column(2)));
  b.sample(b.neuron(h, function(Combination::Avg), {}, {}, kNoWeight, {}, Shape::column(2)));
  b.sample(b.neuron(b.group("c"), function(Combination::Count), {}));
  check_vectorize(b.build());
}

TEST(Lowering, LearnableAndFixedWeights) {
  GraphBuilder b;
  const GroupIndex facts = b.group("embedding", NeuronClass::Fact);
  const WeightId table = b.weight_table("embedding", 3, Shape::column(2), {1, 2, 3, 4, 5, 6});
  const WeightId fixed = b.weight("fixed", Shape::row(2), {.5, .5}, false);
  const NeuronId e0 = b.learnable_fact(facts, table + 2);
  const NeuronId e1 = b.learnable_fact(facts, table);
  b.sample(b.neuron(b.group("q"), function(Combination::Sum), {e0, e1}, {fixed, fixed}));
  const Vectorized v = check_vectorize(b.build());
  EXPECT_EQ(v.program.parameters().size(), 1u);
}

/// `width` leaves, paired level by level; every other one goes through a tanh.
std::string tree_text(std::uint32_t width) {
  std::vector<std::string> nodes;
  for (std::uint32_t k = 0; k < width; ++k) nodes.push_back("$" + std::to_string(k));
  while (nodes.size() > 1) {
    std::vector<std::string> pairs;
    for (std::size_t k = 0; k + 1 < nodes.size(); k += 2) {
      pairs.push_back("sum(" + nodes[k] + ", tanh(" + nodes[k + 1] + "))");
    }
    if (nodes.size() % 2 == 1) pairs.push_back(nodes.back());
    nodes = std::move(pairs);
  }
  return nodes.front();
}

std::string wide_text(const std::string& name, std::uint32_t width) {
  std::string text = name + "(1.5";
  for (std::uint32_t k = 0; k < width; ++k) text += ", $" + std::to_string(k);
  return text + ")";
}

/// Two neurons of that function graph; the operands of all maps together.
std::size_t map_operands(const std::string& text, std::uint32_t width) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const GroupIndex h = b.group("h");
  for (std::uint32_t n = 0; n < 2; ++n) {
    std::vector<NeuronId> inputs;
    for (std::uint32_t k = 0; k < width; ++k) {
      inputs.push_back(b.fact(facts, .9 + .2 / (1 + (k + 3 * n) % 7)));
    }
    b.sample(b.neuron(h, function_graph(text), inputs));
  }
  const Vectorized v = check_vectorize(b.build());
  std::size_t operands = 0;
  for (const Op& op : v.program.ops()) {
    if (op.kind() != OpKind::Map) continue;
    EXPECT_LE(op.operands.size(), 20u);
    EXPECT_EQ(op.rows, 2u);
    operands += op.operands.size();
  }
  return operands;
}

// A map's gradient reads all operands once for each: that must not be the square of a large tree.
TEST(Lowering, LargeFunctionGraphsAreMapsOfAFewOperands) {
  EXPECT_EQ(map_operands(tree_text(20), 20), 20u);  // one map
  EXPECT_LE(map_operands(tree_text(1000), 1000), 1500u);
  for (const char* name : {"sum", "elproduct", "max", "min"}) {
    SCOPED_TRACE(name);
    EXPECT_LE(map_operands(wide_text(name, 500), 500), 600u);
  }
}

TEST(Lowering, LargeFunctionGraphsMayReadNothing) {
  for (const char* name : {"sum", "elproduct", "max", "count", "softmax"}) {
    SCOPED_TRACE(name);
    std::string text = std::string(name) + "(tanh(0.5)";
    for (int k = 0; k < 70; ++k) text += ", 0.75";
    GraphBuilder b;
    const NeuronId fact = b.fact(b.group("f", NeuronClass::Fact), 1);
    const GroupIndex h = b.group("h");
    for (int n = 0; n < 2; ++n) b.sample(b.neuron(h, function_graph(text + ")"), {fact}));
    check_vectorize(b.build());
  }
}

}  // namespace
}  // namespace vecc::test
