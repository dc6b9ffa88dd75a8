// What does not fit a template is refused, with place, found and expected.
#include <gmock/gmock.h>

#include "tests/bind/tested_program.h"
#include "tests/support/graph_builder.h"
#include "vecc/template.h"

namespace vecc::test {
namespace {

struct Options {
  std::string group = "layer";
  Transformation transformation = Transformation::Tanh;
  std::uint32_t side = 2;
  std::string table = "w";
  std::vector<std::string> labels = {"a", "b"};
  std::uint32_t neurons = 2;
};

NeuronGraph graph_of(const Options& options = {}) {
  GraphBuilder b;
  const Shape square(options.side, options.side);
  std::vector<double> values;
  for (std::uint64_t i = 0; i < square.size(); ++i) values.push_back(0.25 * double(i + 1));
  const WeightId w = b.weight(options.table, square, values);
  std::vector<double> embeddings;
  for (std::size_t i = 0; i < options.labels.size(); ++i) embeddings.push_back(1.0 + double(i));
  const WeightId e = b.weight_table("e", static_cast<std::uint32_t>(options.labels.size()), Shape(),
                                    embeddings, true, options.labels);
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const GroupIndex layer = b.group(options.group);
  const GroupIndex end = b.group("end");
  std::vector<NeuronId> read;
  for (std::uint32_t i = 0; i < options.neurons; ++i) {
    const NeuronId x = b.fact(facts, Shape::column(options.side),
                              std::vector<double>(options.side, 0.5 + double(i)));
    read.push_back(b.neuron(layer, function(Combination::Sum, options.transformation), {x}, {w}));
  }
  const NeuronId sum = b.neuron(end, function(Combination::Avg), read);
  const NeuronId scaled = b.neuron(end, function(Combination::Sum), {sum, sum}, {e, e + 1});
  b.sample(scaled);
  return b.build();
}

std::string refusal(const NeuronGraph& graph) {
  const auto model = Template::of(graph_of());
  const auto program = model->compile(tested_options(/*interprets=*/true));
  BoundGraph bound;
  const auto done = (*program)->bind(graph, bound);
  return done ? "" : done.error().text();
}

using ::testing::HasSubstr;

TEST(RefusedGraphs, a_group_that_is_not_there) {
  Options other;
  other.group = "layer_2";
  const std::string text = refusal(graph_of(other));
  EXPECT_THAT(text, HasSubstr("group 1 \"layer_2\""));
  EXPECT_THAT(text, HasSubstr("is no group of the template, expected one of its 3 [E021]"));
}

TEST(RefusedGraphs, another_function) {
  Options other;
  other.transformation = Transformation::Relu;
  EXPECT_THAT(
      refusal(graph_of(other)),
      HasSubstr("group 1 \"layer\": error: has the function sum relu, expected the function "
                "sum tanh as in the template [E021]"));
}

TEST(RefusedGraphs, another_shape) {
  Options other;
  other.side = 3;
  EXPECT_THAT(refusal(graph_of(other)),
              HasSubstr("group 0 \"fact\": error: has facts of shape 3x1, expected facts of shape "
                        "2x1 as in the template [E021]"));
}

TEST(RefusedGraphs, another_weight_table) {
  Options other;
  other.table = "v";
  EXPECT_THAT(refusal(graph_of(other)),
              HasSubstr("weight table \"v\": error: is no weight table of the template [E027]"));
}

TEST(RefusedGraphs, names_that_the_weights_do_not_have) {
  Options other;
  other.labels = {"a", "c"};
  EXPECT_THAT(refusal(graph_of(other)), HasSubstr("[E027]"));
  other.labels = {"a", "b", "c"};
  EXPECT_THAT(refusal(graph_of(other)), HasSubstr("[E027]"));
}

TEST(RefusedGraphs, weights_by_name_in_another_order) {
  Options other;
  other.labels = {"b", "a"};
  const auto program = Template::of(graph_of())->compile(tested_options(/*interprets=*/true));
  BoundGraph bound;
  BoundGraph as_is;
  ASSERT_TRUE((*program)->bind(graph_of(), as_is));
  ASSERT_TRUE((*program)->bind(graph_of(other), bound));
  ASSERT_TRUE((*program)->run(as_is));
  ASSERT_TRUE((*program)->run(bound));
  // e[0] and e[1] add up: which is which does not matter here, but that both are there does.
  EXPECT_EQ((*program)->outputs(as_is)[0].value, (*program)->outputs(bound)[0].value);
}

TEST(RefusedGraphs, after_a_refusal_others_are_bound) {
  const auto program = Template::of(graph_of())->compile(tested_options(/*interprets=*/true));
  BoundGraph bound;
  Options other;
  other.side = 3;
  EXPECT_FALSE((*program)->bind(graph_of(other), bound));
  other = {};
  other.neurons = 7;
  ASSERT_TRUE((*program)->bind(graph_of(other), bound));
  ASSERT_TRUE((*program)->run(bound));
  EXPECT_EQ((*program)->outputs(bound).size(), 1u);
}

}  // namespace
}  // namespace vecc::test
