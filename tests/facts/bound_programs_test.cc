// Programs with bound facts: no pass looks at their values, and no step learns them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/graph_builder.h"
#include "vecc/backend.h"
#include "vecc/bind_facts.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

constexpr int kFacts = 6;
const std::vector<std::string> kGroup{"f"};

// Sample i is tanh(w f_i); all facts are equal, and zero where `zeros`.
NeuronGraph equal_facts(bool zeros = false) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(2, 2), {0.5, -0.25, 0.75, 1});
  const GroupIndex facts = b.group("f", NeuronClass::Fact);
  const GroupIndex layer = b.group("layer");
  for (int i = 0; i < kFacts; ++i) {
    const NeuronId fact = b.fact(facts, Shape::column(2),
                                 zeros ? std::vector<double>{0, 0} : std::vector<double>{1, 2});
    b.sample(b.neuron(layer, function(Combination::Sum, Transformation::Tanh), {fact}, {w}),
             Shape::column(2), {0.5, 0.5});
  }
  return b.build();
}

Program optimized(const NeuronGraph& graph, std::uint32_t level) {
  VectorizeOptions vectorize_options;
  vectorize_options.dtype = DType::F64;
  OptimizeOptions options;
  options.level = level;
  return optimize(vectorize(graph, vectorize_options).value().program, options).value();
}

// Rows of the products with a weight.
std::uint64_t computed_rows(const Program& program) {
  std::uint64_t rows = 0;
  for (const Op& op : program.ops()) rows += op.kind() == OpKind::Linear ? op.rows : 0;
  return rows;
}

ParameterIndex find_parameter(const Program& program, const std::string& name) {
  const auto& all = program.parameters();
  const auto found = std::ranges::find(all, name, &Parameter::name);
  EXPECT_NE(found, all.end()) << name;
  return static_cast<ParameterIndex>(found - all.begin());
}

TEST(BoundFactsInPasses, equal_facts_stay_apart) {
  NeuronGraph graph = equal_facts();
  EXPECT_EQ(computed_rows(optimized(graph, 1)), 1u);  // what is merged otherwise
  ASSERT_TRUE(bind_facts(graph, kGroup));
  for (const std::uint32_t level : {0u, 1u, 2u}) {
    EXPECT_EQ(computed_rows(optimized(graph, level)), std::uint64_t{kFacts}) << level;
  }
}

TEST(BoundFactsInPasses, nothing_is_computed_from_them) {
  for (const bool zeros : {false, true}) {
    NeuronGraph graph = equal_facts(zeros);
    ASSERT_TRUE(bind_facts(graph, kGroup));
    const Program program = optimized(graph, 2);
    for (const Op& op : program.ops()) EXPECT_NE(op.kind(), OpKind::Fact) << zeros;
  }
}

TEST(BoundFactsInPasses, new_values_give_what_the_reference_gives) {
  for (const std::uint32_t level : {0u, 1u, 2u}) {
    NeuronGraph graph = equal_facts();
    ASSERT_TRUE(bind_facts(graph, kGroup));
    const Program program = optimized(graph, level);
    auto executable = find_backend("interpreter")->compile(program, {}).value();
    WeightTable& table = graph.weight_tables.back();
    std::vector<double> values(table.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.3 * double(i % 7) - 1;
    ASSERT_TRUE(executable->set_parameter(find_parameter(program, "fact/f"), values));
    table.values = SharedNumbers::of(std::move(values));
    ASSERT_TRUE(executable->run());
    const ReferenceValues expected = evaluate_reference(graph).value();
    const auto outputs = executable->outputs().value();
    for (std::size_t s = 0; s < outputs.size(); ++s) {
      const auto value = expected.value(graph.samples[s].output);
      for (std::size_t i = 0; i < value.size(); ++i) {
        EXPECT_NEAR(outputs[s].value[i], value[i], 1e-12) << level << ", sample " << s;
      }
    }
  }
}

TEST(BoundFactsInTraining, no_step_learns_them) {
  NeuronGraph graph = equal_facts();
  TrainOptions options;
  options.inputs = bind_facts(graph, kGroup).value().tables;
  const Program program = optimized(graph, 2);
  const NeuronGraph before = graph;
  auto trainer =
      make_trainer(graph, program, *find_backend("interpreter"), {}, options, {0, 1, 2, 3, 4, 5})
          .value();
  for (int step = 0; step < 3; ++step) ASSERT_TRUE(trainer->step());
  ASSERT_TRUE(trainer->copy_weights_to(graph));
  EXPECT_NE(graph.weight_tables[0].values, before.weight_tables[0].values);
  EXPECT_EQ(graph.weight_tables[1].values, before.weight_tables[1].values);
}

TEST(BoundFactsInFiles, are_taken_out_of_the_weights) {
  NeuronGraph graph = equal_facts();
  const BoundFacts facts = bind_facts(graph, kGroup).value();
  WeightFile weights = weights_of(graph).value();
  const WeightFile taken = take_facts(weights, facts);
  ASSERT_EQ(weights.tensors.size(), 1u);
  EXPECT_EQ(weights.tensors[0].name, "w");
  ASSERT_EQ(taken.tensors.size(), 1u);
  EXPECT_EQ(taken.tensors[0].name, "fact/f");
}

}  // namespace
}  // namespace vecc::test
