// The original files: every count that their sources state. Where they are not there, the tests are
// skipped, in continuous integration they fail.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>

#include "tests/import_load/load_check.h"
#include "tools/import/load/loaders.h"

namespace vecc::tools {
namespace {

using test::errors_of;
using test::texts_of;
using testing::ElementsAre;
using Counts = std::map<std::string, std::uint64_t>;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Where the test unpack_datasets puts an archive.
std::string folder_of(const std::string& name) {
  return environment("VECC_BINARY_DIR") + "/data/" + name;
}

#define NEED_DATA(name)                                           \
  if (!std::filesystem::exists(folder_of(name))) {                \
    ASSERT_NE(environment("CI"), "true") << folder_of(name);      \
    GTEST_SKIP() << folder_of(name) << ": not there, not tested"; \
  }

template <class Column, class Names>
Counts count_by(const Column& column, const Names& names) {
  Counts counts;
  for (const auto value : column) ++counts[std::string(names[value])];
  return counts;
}

std::vector<std::string> texts_of(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::int64_t number : numbers) texts.push_back(std::to_string(number));
  return texts;
}

struct TuCounts {
  const char* name;
  std::uint32_t graphs, nodes;
  std::uint64_t edges;
  std::size_t node_labels, edge_labels, attributes;
  Counts classes;
};

class TuDataSet : public testing::TestWithParam<TuCounts> {};

TEST_P(TuDataSet, has_the_counts_of_its_source) {
  const TuCounts& expected = GetParam();
  const std::string archive = std::string("tu_") + expected.name;
  NEED_DATA(archive);
  const Result<GraphSet> set = load_tu(folder_of(archive));
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_EQ(set->name, expected.name);
  EXPECT_EQ(set->graph_count(), expected.graphs);
  EXPECT_EQ(set->node_count(), expected.nodes);
  EXPECT_EQ(set->edge_count(), expected.edges);
  EXPECT_EQ(set->dropped_edges, 0u);
  EXPECT_EQ(set->node_label_values.size(), expected.node_labels);
  EXPECT_EQ(set->node_labels.size(), expected.node_labels > 0 ? expected.nodes : 0);
  EXPECT_EQ(set->edge_label_values.size(), expected.edge_labels);
  EXPECT_EQ(set->attribute_count, expected.attributes);
  EXPECT_EQ(set->node_attributes.size(), expected.attributes * expected.nodes);
  EXPECT_EQ(count_by(set->graph_labels, texts_of(set->graph_label_values)), expected.classes);
}

INSTANTIATE_TEST_SUITE_P(
    All, TuDataSet,
    testing::Values(
        TuCounts{"MUTAG", 188, 3371, 7442, 7, 4, 0, {{"-1", 63}, {"1", 125}}},
        TuCounts{"ENZYMES",
                 600,
                 19580,
                 74564,
                 3,
                 0,
                 18,
                 {{"1", 100}, {"2", 100}, {"3", 100}, {"4", 100}, {"5", 100}, {"6", 100}}},
        TuCounts{"PROTEINS", 1113, 43471, 162088, 3, 0, 1, {{"1", 663}, {"2", 450}}},
        TuCounts{"NCI1", 4110, 122747, 265506, 37, 0, 0, {{"0", 2053}, {"1", 2057}}},
        TuCounts{"DD", 1178, 334925, 1686092, 82, 0, 0, {{"1", 691}, {"2", 487}}},
        TuCounts{"REDDIT-BINARY", 2000, 859254, 1991016, 0, 0, 0, {{"0", 1000}, {"2", 1000}}}),
    [](const auto& set) {
      std::string name = set.param.name;
      std::erase(name, '-');
      return name;
    });

TEST(TuDataSet, MUTAG_has_its_edge_labels) {
  NEED_DATA("tu_MUTAG");
  const Result<GraphSet> set = load_tu(folder_of("tu_MUTAG"));
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_EQ(count_by(set->edge_labels, texts_of(set->edge_label_values)),
            (Counts{{"0", 4708}, {"1", 2008}, {"2", 724}, {"3", 2}}));
  EXPECT_EQ(set->source[0], 1u);
  EXPECT_EQ(set->target[0], 0u);
}

TEST(TuDataSet, ENZYMES_has_its_attributes) {
  NEED_DATA("tu_ENZYMES");
  const Result<GraphSet> set = load_tu(folder_of("tu_ENZYMES"));
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_EQ(set->node_attributes[1], 15.887014);
  EXPECT_EQ(set->node_attributes[18 + 5], 102.6);
}

Counts split_counts(const std::vector<Split>& splits) {
  const char* const names[] = {"unspecified", "train", "valid", "test"};
  Counts counts;
  for (const Split split : splits) ++counts[names[static_cast<int>(split)]];
  return counts;
}

TEST(TripleDataSet, FB15k_237) {
  NEED_DATA("kg_FB15k-237");
  const Result<TypedGraph> graph = load_triples(folder_of("kg_FB15k-237"));
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->node_count, 14541u);
  EXPECT_EQ(graph->relation_count(), 237u);
  EXPECT_EQ(graph->edge_count(), 310116u);
  EXPECT_EQ(graph->dropped_edges, 0u);
  EXPECT_EQ(split_counts(graph->edge_split),
            (Counts{{"train", 272115}, {"valid", 17535}, {"test", 20466}}));
  EXPECT_EQ(graph->node_names[0], "/m/027rn");
  EXPECT_EQ(graph->node_names[1], "/m/06cx9");
}

TEST(TripleDataSet, WN18) {
  NEED_DATA("kg_WN18");
  const Result<TypedGraph> graph = load_triples(folder_of("kg_WN18"));
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->node_count, 40943u);
  EXPECT_EQ(graph->relation_count(), 18u);
  EXPECT_EQ(graph->edge_count(), 151442u);
  EXPECT_EQ(split_counts(graph->edge_split),
            (Counts{{"train", 141442}, {"valid", 5000}, {"test", 5000}}));
}

Counts label_counts(const TypedGraph& graph, Split split) {
  Counts counts;
  for (const NodeLabel& label : graph.labels) {
    if (label.split == split) ++counts[std::string(graph.label_names[label.label])];
  }
  return counts;
}

#ifdef VECC_HAS_RDF

TEST(RdfDataSet, AIFB) {
  NEED_DATA("rdf_AIFB");
  const Result<TypedGraph> graph = load_rdf(folder_of("rdf_AIFB"));
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->node_count, 8285u);
  EXPECT_EQ(graph->relation_count(), 45u);
  EXPECT_EQ(graph->edge_count(), 29043u);
  EXPECT_EQ(graph->dropped_edges, 0u);
  const std::string group =
      "http://www.aifb.uni-karlsruhe.de/Forschungsgruppen/viewForschungsgruppeOWL/id";
  EXPECT_EQ(label_counts(*graph, Split::Train), (Counts{{group + "1instance", 58},
                                                        {group + "2instance", 22},
                                                        {group + "3instance", 48},
                                                        {group + "4instance", 12}}));
  EXPECT_EQ(label_counts(*graph, Split::Test), (Counts{{group + "1instance", 15},
                                                       {group + "2instance", 6},
                                                       {group + "3instance", 12},
                                                       {group + "4instance", 3}}));
}

TEST(RdfDataSet, MUTAG) {
  NEED_DATA("rdf_MUTAG");
  const Result<TypedGraph> graph = load_rdf(folder_of("rdf_MUTAG"));
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->node_count, 23644u);
  EXPECT_EQ(graph->relation_count(), 23u);
  EXPECT_EQ(graph->edge_count(), 74227u);
  EXPECT_EQ(label_counts(*graph, Split::Train), (Counts{{"0.0", 166}, {"1.0", 106}}));
  EXPECT_EQ(label_counts(*graph, Split::Test), (Counts{{"0.0", 45}, {"1.0", 23}}));
}

#endif

TEST(HgbDataSet, ACM) {
  NEED_DATA("hgb_ACM");
  const Result<TypedGraph> graph = load_hgb(folder_of("hgb_ACM"));
  ASSERT_TRUE(graph) << errors_of(graph);
  EXPECT_EQ(graph->edge_count(), 547872u);
  EXPECT_EQ(graph->dropped_edges, 0u);
  EXPECT_EQ(count_by(graph->node_type, graph->node_type_names),
            (Counts{{"paper", 3025}, {"author", 5959}, {"subject", 56}, {"term", 1902}}));
  EXPECT_EQ(count_by(graph->relation, graph->relation_names), (Counts{{"paper-cite-paper", 5343},
                                                                      {"paper-ref-paper", 5343},
                                                                      {"paper-author", 9949},
                                                                      {"author-paper", 9949},
                                                                      {"paper-subject", 3025},
                                                                      {"subject-paper", 3025},
                                                                      {"paper-term", 255619},
                                                                      {"term-paper", 255619}}));
  EXPECT_EQ(label_counts(*graph, Split::Train),
            (Counts{{"database", 280}, {"wireless communication", 293}, {"data mining", 334}}));
  EXPECT_EQ(label_counts(*graph, Split::Test),
            (Counts{{"database", 714}, {"wireless communication", 677}, {"data mining", 727}}));
}

// Bags of words: entries are 0 or the number of times that a word occurs.
TEST(HgbDataSet, ACM_has_its_features) {
  NEED_DATA("hgb_ACM");
  const Result<TypedGraph> graph = load_hgb(folder_of("hgb_ACM"));
  ASSERT_TRUE(graph) << errors_of(graph);
  ASSERT_EQ(graph->features.size(), 4u);
  const std::uint32_t nodes[] = {3025, 5959, 56, 0};
  Counts values;
  for (std::size_t type = 0; type < 4; ++type) {
    EXPECT_EQ(graph->features[type].dim, type < 3 ? 1902u : 0u);
    EXPECT_EQ(graph->features[type].values.size(), std::size_t{nodes[type]} * 1902);
    for (const double value : graph->features[type].values) {
      ++values[value == 0 ? "0" : value == 1 ? "1" : "other"];
    }
  }
  EXPECT_EQ(values, (Counts{{"0", 16213762}, {"1", 980318}}));
}

}  // namespace
}  // namespace vecc::tools
