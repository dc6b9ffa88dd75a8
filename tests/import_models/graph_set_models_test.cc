// The architectures over sets of small graphs against plain loops, and their neurons one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/import_models/grounded_graph.h"
#include "tests/import_models/small_graph_set.h"
#include "vecc/backend.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

using Features = GraphSetOptions::Features;
using Output = GraphSetOptions::Output;
using tools::graph_set_models;
using tools::GraphSetModel;

const GraphSetModel& model_named(std::string_view name) {
  for (const GraphSetModel& model : graph_set_models()) {
    if (model.name == name) return model;
  }
  throw std::logic_error("no such model");
}

Result<NeuronGraph> ground(const GraphSetModel& model, const GraphSet& data,
                           const GraphSetOptions& options) {
  return ground_to_graph([&](Grounder& out) { return model.ground(data, options, out); });
}

WeightsByName weights_of(const NeuronGraph& graph) {
  WeightsByName weights;
  for (const WeightTable& table : graph.weight_tables) {
    weights.names.push_back(table.name);
    weights.values.push_back(table.values.doubles());
  }
  return weights;
}

void expect_near(std::span<const double> found, const Vector& expected, const std::string& where) {
  ASSERT_EQ(found.size(), expected.size()) << where;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-12 * std::max(1.0, std::abs(expected[i]))) << where;
  }
}

/// The grounded graph, by the reference and as a Program, against plain loops.
void check(const GraphSetModel& model, const GraphSet& data, GraphSetOptions options) {
  if (options.layers == 0) options.layers = model.layers;
  const Result<NeuronGraph> graph = ground(model, data, options);
  ASSERT_TRUE(graph) << graph.error().text();
  const std::vector<Vector> expected =
      evaluate_naively(std::string(model.name), data, options, weights_of(*graph));
  const Result<ReferenceValues> reference = evaluate_reference(*graph);
  ASSERT_TRUE(reference) << reference.error().text();
  ASSERT_EQ(graph->samples.size(), expected.size());
  const std::vector<Vector> program = run_interpreter(*graph);
  for (std::size_t g = 0; g < expected.size(); ++g) {
    const std::string where = "graph " + std::to_string(g);
    EXPECT_EQ(graph->sample_ids[g], data.has_node_samples ? "node_" + std::to_string(g)
                                                          : "graph_" + std::to_string(g + 1));
    expect_near(reference->value(graph->samples[g].output), expected[g], where);
    expect_near(program[g], expected[g], where + ", program");
  }
}

TEST(GraphSetModels, agree_with_plain_loops) {
  for (const GraphSetModel& model : graph_set_models()) {
    SCOPED_TRACE(model.name);
    GraphSetOptions options;
    options.features = {Features::OneHot};
    check(model, random_graph_set(12, 2, 1), options);
  }
}

TEST(GraphSetModels, agree_for_every_option) {
  for (const GraphSetModel& model : graph_set_models()) {
    for (const Features features : {Features::One, Features::Degree, Features::Attributes}) {
      for (const std::uint32_t dim : {1u, 2u, 7u}) {
        for (const std::uint32_t layers : {1u, 3u}) {
          SCOPED_TRACE(std::string(model.name) + " features " +
                       std::to_string(static_cast<int>(features)) + " dim " + std::to_string(dim) +
                       " layers " + std::to_string(layers));
          GraphSetOptions options;
          options.features = {features};
          options.dim = dim;
          options.layers = layers;
          options.slope = 0.05 * dim;
          options.mean_pool = dim == 2;
          options.output = layers == 1 ? Output::Softmax : Output::Identity;
          check(model, random_graph_set(5, 3, dim), options);
        }
      }
    }
  }
}

TEST(GraphSetModels, features_stand_side_by_side) {
  for (const GraphSetModel& model : graph_set_models()) {
    SCOPED_TRACE(model.name);
    GraphSetOptions options;
    options.output = Output::Identity;
    options.features = {Features::OneHot, Features::Attributes};
    check(model, random_graph_set(6, 3, 2), options);
    options.features = {Features::Degree, Features::OneHot, Features::One};
    options.dim = 1;
    check(model, random_graph_set(6, 2, 3), options);
  }
}

TEST(GraphSetModels, nodes_are_samples) {
  for (const GraphSetModel& model : graph_set_models()) {
    SCOPED_TRACE(model.name);
    GraphSet data = random_graph_set(4, 3, 4);
    data.has_node_samples = true;
    data.node_classes.assign(data.node_count(), 2);
    data.node_splits.assign(data.node_count(), Split::Train);
    data.node_classes[0] = tools::kUnknownLabel;
    data.node_classes[1] = 1;
    data.node_splits[2] = Split::Unspecified;
    data.node_splits[1] = Split::Test;
    GraphSetOptions options;
    options.features = {Features::Attributes};
    check(model, data, options);
    options.layers = 1;
    const Result<NeuronGraph> graph = ground(model, data, options);
    ASSERT_TRUE(graph) << graph.error().text();
    EXPECT_FALSE(graph->samples[0].has_target);  // of no class
    EXPECT_FALSE(graph->samples[2].has_target);  // in no split
    EXPECT_EQ(graph->samples[1].split, Split::Test);
    EXPECT_EQ(graph->samples[3].split, Split::Train);
    EXPECT_EQ((Vector(graph->target_values.begin(), graph->target_values.begin() + 6)),
              (Vector{0, 1, 0, 0, 0, 1}));
  }
}

TEST(GraphSetModels, graphs_have_numbers_to_predict) {
  GraphSet data = random_graph_set(3, 2, 6);
  data.target_count = 2;
  data.graph_targets = {0.5, 1, -2, 3, 4, 5.5};
  GraphSetOptions options;
  options.features = {Features::OneHot};
  options.regression = true;
  for (const char* name : {"gcn", "gin", "gine"}) {
    check(model_named(name), data, options);
    options.layers = 1;
    const Result<NeuronGraph> graph = ground(model_named(name), data, options);
    ASSERT_TRUE(graph) << graph.error().text();
    EXPECT_EQ(graph->target_values, data.graph_targets);
    EXPECT_EQ(graph->samples[0].target_shape, Shape::column(2));
    options.layers = 0;
  }
}

TEST(GraphSetModels, gine_reads_labels_or_attributes_of_edges) {
  GraphSetOptions options;
  options.features = {Features::OneHot};
  GraphSet labels = random_graph_set(5, 2, 7);
  labels.edge_attributes.clear();
  labels.edge_attribute_count = 0;
  check(model_named("gine"), labels, options);
  GraphSet attributes = random_graph_set(5, 2, 8);
  attributes.edge_labels.clear();
  attributes.edge_label_values.clear();
  check(model_named("gine"), attributes, options);
  attributes.edge_attribute_count = 0;
  options.layers = 1;
  const Result<NeuronGraph> none = ground(model_named("gine"), attributes, options);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("neither edge labels nor edge attributes"), std::string::npos);
}

TEST(GraphSetModels, one_neuron_a_body_one_aggregation_a_head_one_atom_a_head) {
  const GraphSet data = random_graph_set(20, 2, 3);
  GraphSetOptions options;
  options.layers = 2;
  const Result<NeuronGraph> graph = ground(model_named("gcn"), data, options);
  ASSERT_TRUE(graph);
  const std::uint64_t nodes = data.node_count();
  const std::uint64_t edges = data.edge_count();
  EXPECT_EQ(count_neurons(*graph), (std::map<std::string, std::uint64_t>{
                                       {"fact x/1", nodes},
                                       {"weighted rule h1/1", edges},
                                       {"aggregation h1/1", nodes},
                                       {"atom h1/1", nodes},
                                       {"weighted rule h2/1", edges},
                                       {"aggregation h2/1", nodes},
                                       {"atom h2/1", nodes},
                                       {"rule predict/0", nodes},
                                       {"aggregation predict/0", 20},
                                       {"weighted atom predict/0", 20},
                                   }));
  EXPECT_EQ(graph->groups[1].rule_text, "h1(X) :- {10,3} x(Y), *edge(Y,X). [aggregation=sum]");
}

// A node without neighbours, and what only it feeds, is not there; the others' values stay.
TEST(GraphSetModels, drop_grounds_as_NeuraLogic_would) {
  GraphSet data;  // 0 -> 1 -> 2, and the lone node 3; then a graph of one node
  data.node_begin = {0, 4, 5};
  data.source = {0, 1};
  data.target = {1, 2};
  data.node_labels = {0, 1, 0, 0, 1};
  data.node_label_values = {0, 1};
  data.graph_labels = {1, 0};
  data.graph_label_values = {0, 1};
  GraphSetOptions options;
  options.layers = 2;
  options.keep_isolated = false;
  const Result<NeuronGraph> graph = ground(model_named("gcn"), data, options);
  ASSERT_TRUE(graph) << graph.error().text();
  auto counts = count_neurons(*graph);
  EXPECT_EQ(counts["atom h1/1"], 2u);           // of 1 and 2
  EXPECT_EQ(counts["weighted rule h2/1"], 1u);  // h1(0) does not exist
  EXPECT_EQ(counts["atom h2/1"], 1u);
  ASSERT_EQ(graph->samples.size(), 1u);  // the second graph's query cannot be proved
  EXPECT_EQ(graph->sample_ids[0], "graph_1");
  EXPECT_EQ(graph->target_values, std::vector<double>{1});
  const Result<NeuronGraph> sage = ground(model_named("sage"), data, options);
  ASSERT_TRUE(sage);
  counts = count_neurons(*sage);
  EXPECT_EQ(counts["weighted atom h1/1"], 5u);     // h1(X) :- x(X). proves all
  EXPECT_EQ(counts["aggregation h1/1"], 5u + 2u);  // of the neighbours' rule: 1 and 2
  EXPECT_EQ(sage->samples.size(), 2u);
}

TEST(GraphSetModels, degrees_are_counts) {
  const GraphSet data = random_graph_set(6, 2, 9);
  GraphSetOptions options;
  options.layers = 1;
  const Result<NeuronGraph> graph = ground(model_named("gcn-norm"), data, options);
  ASSERT_TRUE(graph);
  const Result<ReferenceValues> values = evaluate_reference(*graph);
  ASSERT_TRUE(values) << values.error().text();
  std::vector<double> degree(data.node_count(), 1);
  for (std::size_t e = 0; e < data.edge_count(); ++e) {
    if (data.source[e] != data.target[e]) ++degree[data.target[e]];
  }
  std::size_t found = 0;
  for (const NeuronRange& range : graph->ranges) {
    const NeuronGroup& group = graph->groups[range.group];
    if (group.head_predicate != "deg/1" || group.neuron_class != NeuronClass::Atom) continue;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      EXPECT_EQ(values->value(range.first + i)[0], degree[found++]);
    }
  }
  EXPECT_EQ(found, degree.size());
}

TEST(GraphSetModels, targets_are_scalars_or_one_hot_columns) {
  GraphSetOptions options;
  options.layers = 1;
  const Result<NeuronGraph> two = ground(model_named("gcn"), random_graph_set(4, 2, 5), options);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->target_values, (std::vector<double>{0, 1, 0, 1}));
  EXPECT_EQ(two->samples[0].target_shape, Shape::scalar());
  const Result<NeuronGraph> three = ground(model_named("gcn"), random_graph_set(3, 3, 5), options);
  ASSERT_TRUE(three);
  EXPECT_EQ(three->target_values, (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(three->samples[0].target_shape, Shape::column(3));
}

}  // namespace
}  // namespace vecc::test
