// The Grounder: groups larger than a chunk, weights' values, limits.
#include "tools/import/ground/grounder.h"

#include <gtest/gtest.h>

#include "tests/import_models/grounded_graph.h"
#include "vecc/backend.h"

namespace vecc::test {
namespace {

TEST(Grounder, a_group_may_be_larger_than_a_chunk) {
  constexpr std::uint64_t kCount = 700'000;
  const Result<NeuronGraph> graph = ground_to_graph([](Grounder& out) -> Result<void> {
    const FileId facts = out.constant_facts(
        "x/1", Shape(), kCount,
        [](std::uint64_t i, std::span<double> values) { values[0] = static_cast<double>(i); });
    const FileId sums = out.group({NeuronClass::Atom, "sum/1", "", {}, Shape()}, kCount,
                                  [&](std::uint64_t i, NeuronRow& row) {
                                    for (std::uint64_t k = 0; k < i % 4; ++k) row.input(facts + i);
                                  });
    SampleRecord sample;
    sample.output = sums + kCount - 1;
    out.sample(sample);
    EXPECT_EQ(out.neuron_count(), 2 * kCount);
    EXPECT_EQ(out.edge_count(), kCount / 4 * 6);
    EXPECT_EQ(out.sample_count(), 1u);
    return {};
  });
  ASSERT_TRUE(graph) << graph.error().text();
  ASSERT_EQ(graph->groups.size(), 2u);
  const Result<ReferenceValues> values = evaluate_reference(*graph);
  ASSERT_TRUE(values);
  for (const std::uint32_t i : {0u, 1u, 262'143u, 262'144u, 699'999u}) {
    EXPECT_EQ(values->value(static_cast<NeuronId>(kCount + i))[0], (i % 4) * double{1} * i);
  }
}

TEST(Grounder, draws_the_values_that_initialize_weights_would) {
  const auto build = [](Grounder& out) -> Result<void> {
    StringColumn names;
    for (int i = 0; i < 300; ++i) names.push_back("row " + std::to_string(i));
    const WeightId w = out.weights("w", Shape(2, 3));
    const double half = 0.5;
    const WeightId fixed = out.fixed_weight("half", Shape(), std::span(&half, 1));
    const WeightId e = out.weights("e", Shape::column(3), 300, &names);
    EXPECT_EQ(fixed, w + 1);
    EXPECT_EQ(e, w + 2);
    const FileId facts = out.learnable_facts("e/1", e, 300);
    SampleRecord sample;
    sample.output = facts;
    out.sample(sample);
    return {};
  };
  const Result<NeuronGraph> drawn = ground_to_graph(build);
  ASSERT_TRUE(drawn) << drawn.error().text();
  Result<NeuronGraph> later = ground_to_graph(build, {}, std::nullopt);
  ASSERT_TRUE(later) << later.error().text();
  EXPECT_FALSE(later->weight_tables[0].has_values);
  EXPECT_TRUE(later->weight_tables[1].has_values);
  initialize_weights(*later, Initializer::Uniform, 7);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_EQ(drawn->weight_tables[t].values, later->weight_tables[t].values);
  }
  EXPECT_EQ(drawn->weight_tables[2].row_names[299], "row 299");
  EXPECT_FALSE(drawn->weight_tables[1].learnable);
}

TEST(Grounder, bad_limits_stop_it_and_leave_nothing) {
  const auto build = [](Grounder& out) -> Result<void> {
    out.weights("w", Shape(), 8);
    std::uint64_t described = 0;
    const FileId facts = out.unit_facts("x/1", 10);
    out.group({NeuronClass::Atom, "y/1", "", {}, {}}, 1000, [&](std::uint64_t, NeuronRow& row) {
      ++described;
      row.input(facts);
      row.input(facts + 1);
    });
    EXPECT_LT(described, 100u);
    EXPECT_TRUE(out.failed());
    return {};
  };
  const auto message = [&](ImportLimits limits) {
    const Result<NeuronGraph> graph = ground_to_graph(build, limits);
    EXPECT_FALSE(graph);
    const Errors errors = graph.error();
    const Diagnostic& error = errors.list().front();
    EXPECT_EQ(exit_code_of(error.code), ExitCode::Limit);
    return error.message;
  };
  ImportLimits neurons;
  neurons.max_neurons = 50;
  EXPECT_EQ(message(neurons),
            "the grounded template has more than 50 neurons; raise --max-neurons or ground less");
  ImportLimits edges;
  edges.max_edges = 20;
  EXPECT_EQ(message(edges),
            "the grounded template has more than 20 edges; raise --max-edges or ground less");
  ImportLimits weights;
  weights.max_weights = 7;
  EXPECT_EQ(message(weights),
            "the grounded template has more than 7 weights; raise --max-weights or ground less");
}

TEST(Grounder, a_file_that_is_not_finished_is_not_there) {
  const TemporaryFolder folder;
  {
    tools::GrounderOptions options;
    options.path = folder.path("graph.pb");
    Result<Grounder> out = Grounder::create(std::move(options));
    ASSERT_TRUE(out);
    out->unit_facts("x/1", 3);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace vecc::test
