// Facts as weight tables of the graph; files of them.
#include "vecc/bind_facts.h"

#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"
#include "vecc/backend.h"

namespace vecc::test {
namespace {

// Groups "atom" (columns; two of them), "bond" (a unit and a scalar), "learned", "layer".
NeuronGraph mixed_graph() {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape::row(2), {1, 2});
  const GroupIndex atoms = b.group("atom", NeuronClass::Fact);
  const GroupIndex bonds = b.group("bond", NeuronClass::Fact);
  const GroupIndex learned = b.group("learned", NeuronClass::Fact);
  const GroupIndex layer = b.group("layer");
  const NeuronId a0 = b.fact(atoms, Shape::column(2), {1, 2});
  const NeuronId unit = b.unit_fact(bonds);
  const NeuronId a1 = b.fact(atoms, Shape::column(2), {3, 4});
  const NeuronId scalar = b.fact(bonds, 5);
  b.learnable_fact(learned, w);
  b.sample(b.neuron(layer, function(Combination::Sum), {a0, a1, unit, scalar},
                    {w, w, kNoWeight, kNoWeight}));
  return b.build();
}

std::string error_of(NeuronGraph& graph, std::vector<std::string> groups) {
  const auto bound = bind_facts(graph, groups);
  return bound ? "" : bound.error().text();
}

TEST(BindFacts, become_a_table_with_the_graphs_values) {
  NeuronGraph graph = mixed_graph();
  const std::vector<std::string> groups{"atom", "bond"};
  const BoundFacts facts = bind_facts(graph, groups).value();
  EXPECT_EQ(facts.tables, (std::vector<std::string>{"fact/atom", "fact/bond"}));
  ASSERT_EQ(graph.weight_tables.size(), 3u);
  EXPECT_EQ(graph.weight_tables[1].shape, Shape::column(2));
  EXPECT_EQ(graph.weight_tables[1].values.doubles(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(graph.weight_tables[2].values.doubles(), (std::vector<double>{1, 5}));
  EXPECT_EQ(graph.weight_tables[2].first, graph.weight_tables[1].first + 2);
}

TEST(BindFacts, change_no_value) {
  NeuronGraph graph = mixed_graph();
  const ReferenceValues before = evaluate_reference(graph).value();
  const std::vector<std::string> groups{"atom", "bond"};
  ASSERT_TRUE(bind_facts(graph, groups));
  EXPECT_EQ(evaluate_reference(graph).value().values, before.values);
}

TEST(BindFacts, a_group_may_be_named_by_its_number) {
  NeuronGraph graph = mixed_graph();
  EXPECT_EQ(bind_facts(graph, std::vector<std::string>{"1"}).value().tables[0], "fact/1");
}

TEST(BindFacts, facts_of_several_shapes_are_a_table_a_shape) {
  GraphBuilder b;
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  b.fact(facts, 7);
  b.sample(b.fact(facts, Shape::row(2), {1, 2}));
  NeuronGraph graph = b.build();
  EXPECT_EQ(bind_facts(graph, std::vector<std::string>{"f"}).value().tables,
            (std::vector<std::string>{"fact/f/1", "fact/f/1x2"}));
}

TEST(BindFacts, bad_unknown_group) {
  NeuronGraph graph = mixed_graph();
  EXPECT_EQ(error_of(graph, {"atoms"}),
            "--bind-facts=atoms: error: no group has this name; groups with facts: \"atom\", "
            "\"bond\" [E050]");
}

TEST(BindFacts, bad_group_without_facts) {
  NeuronGraph graph = mixed_graph();
  EXPECT_EQ(error_of(graph, {"layer"}),
            "--bind-facts=layer: error: group 3 \"layer\" holds no facts; groups with facts: "
            "\"atom\", \"bond\" [E050]");
  EXPECT_EQ(error_of(graph, {"learned"}),
            "--bind-facts=learned: error: group 2 \"learned\": its facts are weights already "
            "[E050]");
}

TEST(BindFacts, bad_twice) {
  NeuronGraph graph = mixed_graph();
  EXPECT_NE(error_of(graph, {"atom", "atom"}), "");
  EXPECT_NE(error_of(graph, {"atom", "0"}), "");
  EXPECT_EQ(graph.weight_tables.size(), 1u);
}

WeightTensor tensor(const std::string& name, const std::vector<double>& values,
                    std::vector<std::uint64_t> shape) {
  return {name, ElementType::F64, std::move(shape),
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * 8)};
}

class LoadFacts : public testing::Test {
 protected:
  std::string error_of(std::vector<WeightTensor> tensors) {
    const auto loaded = load_facts(graph_, facts_, {{}, std::move(tensors)});
    return loaded ? "" : loaded.error().text();
  }
  NeuronGraph graph_ = mixed_graph();
  BoundFacts facts_ = bind_facts(graph_, std::vector<std::string>{"atom"}).value();
};

TEST_F(LoadFacts, replace_the_graphs_values) {
  EXPECT_EQ(error_of({tensor("fact/atom", {5, 6, 7, 8}, {2, 2, 1})}), "");
  EXPECT_EQ(graph_.weight_tables[1].values.doubles(), (std::vector<double>{5, 6, 7, 8}));
}

TEST_F(LoadFacts, bad_facts_that_are_compiled_in_are_refused_by_name) {
  EXPECT_EQ(
      error_of({tensor("fact/atom", {5, 6, 7, 8}, {2, 2, 1}), tensor("fact/bond", {1, 2}, {2})}),
      "tensor \"fact/bond\": error: is no input: facts of \"bond\" are compiled in, and what "
      "was computed from them too; --bind-facts=bond makes them inputs [E027]");
  EXPECT_EQ(graph_.weight_tables[1].values.doubles(), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(LoadFacts, bad_weights_are_no_facts) {
  EXPECT_NE(error_of({tensor("fact/atom", {5, 6, 7, 8}, {2, 2, 1}), tensor("w", {1, 1}, {1, 1, 2})})
                .find("tensor \"w\": error: is no fact that is an input"),
            std::string::npos);
}

TEST_F(LoadFacts, bad_missing_or_of_another_shape) {
  EXPECT_EQ(error_of({}), "facts \"fact/atom\": error: are not in the file [E027]");
  EXPECT_NE(error_of({tensor("fact/atom", {5, 6, 7, 8}, {4, 1, 1})}).find("has shape [4, 1, 1]"),
            std::string::npos);
}

}  // namespace
}  // namespace vecc::test
