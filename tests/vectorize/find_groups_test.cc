// Groups that are found where a file has one for all neurons, or one for each: the same values, and
// hardly more layers than with the file's own.
#include "vecc/find_groups.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <string>

#include "src/vectorize/regroup.h"
#include "tests/support/graph_builder.h"
#include "tests/support/random_graph.h"
#include "tests/vectorize/vectorize_check.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"

namespace vecc::test {
namespace {

const NeuronFunction kTanh = function(Combination::Sum, Transformation::Tanh);

NeuronGroup named(std::string name) {
  NeuronGroup group;
  group.file_id = vectorizer::kFoundGroup;
  group.neuron_class = NeuronClass::Rule;
  group.head_predicate = std::move(name);
  return group;
}

/// All neurons in one group; facts of a vocabulary would lose theirs, so there must be none.
NeuronGraph in_one_group(NeuronGraph graph) {
  vectorizer::Grouping one{{named("all")}, std::vector<std::uint32_t>(graph.neuron_count(), 0)};
  vectorizer::regroup(graph, std::move(one));
  return graph;
}

NeuronGraph in_a_group_each(NeuronGraph graph) {
  vectorizer::Grouping each{{}, std::vector<std::uint32_t>(graph.neuron_count())};
  std::iota(each.group_of.begin(), each.group_of.end(), 0u);
  for (std::uint64_t n = 0; n < graph.neuron_count(); ++n) each.groups.push_back(named("n"));
  vectorizer::regroup(graph, std::move(each));
  return graph;
}

/// Each neuron is in one range of one group, and the groups know it.
void expect_consistent(const NeuronGraph& graph) {
  NeuronId next = 0;
  std::vector<std::uint64_t> neurons(graph.groups.size());
  for (const NeuronRange& range : graph.ranges) {
    EXPECT_EQ(range.first, next);
    next += range.count;
    neurons.at(range.group) += range.count;
  }
  EXPECT_EQ(next, graph.neuron_count());
  std::vector<std::uint64_t> ids;
  for (std::size_t g = 0; g < graph.groups.size(); ++g) {
    EXPECT_EQ(graph.groups[g].neuron_count, neurons[g]);
    for (const std::uint32_t r : graph.groups[g].ranges) EXPECT_EQ(graph.ranges.at(r).group, g);
    ids.push_back(graph.groups[g].file_id);
  }
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

TEST(FindGroups, RandomGraphsComputeTheSame) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const NeuronGraph graph = random_graph(random_options(seed)).graph;
    for (const NeuronGraph& degenerate : {in_one_group(graph), in_a_group_each(graph)}) {
      expect_consistent(degenerate);
      const NeuronGraph found = find_groups(degenerate);
      expect_consistent(found);
      check_vectorize(found);
    }
  }
}

TEST(FindGroups, DoNotDependOnTheGroupsThatThereWere) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const NeuronGraph graph = random_graph(random_options(seed)).graph;
    const NeuronGraph one = find_groups(in_one_group(graph));
    const NeuronGraph each = find_groups(in_a_group_each(graph));
    EXPECT_LE(one.groups.size(), each.groups.size() + 1);
    EXPECT_EQ(vectorize(one)->report.layers, vectorize(each)->report.layers);
  }
}

TEST(FindGroups, LayersOfOneFunctionAreToldApartByTheirWeights) {
  GraphBuilder b;
  const WeightId first = b.weight("first", Shape(2, 2), {1, 2, 3, 4});
  const WeightId second = b.weight("second", Shape(2, 2), {4, 3, 2, 1});
  const GroupIndex all = b.group("all");
  for (int i = 0; i < 5; ++i) {
    const NeuronId x = b.fact(all, Shape::column(2), {.1 * i, .2});
    const NeuronId h = b.neuron(all, kTanh, {x}, {first});
    b.sample(b.neuron(all, kTanh, {h, h}, {second, second}));
  }
  const NeuronGraph found = find_groups(b.build());
  ASSERT_EQ(found.groups.size(), 3u);
  EXPECT_EQ(found.groups[1].neuron_count, 5u);
  EXPECT_NE(found.groups[1].head_predicate.find("first"), std::string::npos);
  EXPECT_EQ(check_vectorize(found).report.recursive_components, 0u);
}

TEST(FindGroups, LayersWithoutWeightsAreToldApartByLevel) {
  GraphBuilder b;
  const GroupIndex all = b.group("all");
  for (int i = 0; i < 5; ++i) {
    NeuronId x = b.fact(all, .1 * i);
    for (int layer = 0; layer < 4; ++layer) x = b.neuron(all, kTanh, {x, x});
    b.sample(x);
  }
  const Vectorized v = check_vectorize(find_groups(b.build()));
  EXPECT_EQ(v.report.recursive_components, 0u);
  EXPECT_EQ(v.report.layers, 5u);
}

TEST(FindGroups, ALongChainStaysARecursion) {
  GraphBuilder b;
  const GroupIndex all = b.group("all");
  NeuronId x = b.fact(all, .5);
  for (int k = 0; k < 1000; ++k) x = b.neuron(all, kTanh, {x});
  b.sample(x);
  const Vectorized v = check_vectorize(find_groups(b.build()));
  EXPECT_EQ(v.report.recursive_components, 1u);
  EXPECT_EQ(v.report.levels, 1000u);
}

TEST(FindGroups, AFactGroupOfAVocabularyStays) {
  GraphBuilder b;
  const GroupIndex kept = b.group("label", NeuronClass::Fact);
  const GroupIndex other = b.group("label", NeuronClass::Fact);
  const NeuronId x = b.fact(kept, 1);
  const NeuronId y = b.fact(other, 2);
  b.sample(b.neuron(b.group("h"), kTanh, {x, y}));
  NeuronGraph graph = b.build();
  Vocabulary vocabulary;
  vocabulary.name = "node label";
  vocabulary.names.push_back("carbon");
  VocabularyUse use;
  use.place = VocabularyUse::Place::Facts;
  use.group = graph.groups[kept].file_id;
  vocabulary.uses.push_back(use);
  graph.vocabularies.push_back(vocabulary);
  const std::uint64_t id = graph.groups[kept].file_id;
  const NeuronGraph found = find_groups(std::move(graph));
  ASSERT_EQ(found.groups.size(), 3u);
  EXPECT_EQ(found.groups[0].file_id, id);
  EXPECT_NE(found.groups[1].file_id, id);
  expect_consistent(found);
}

// The graphs that the project ships: as many ops after the optimizer, within a tenth.
TEST(FindGroups, TakeHardlyMoreThanTheGroupsOfTheFile) {
  for (const std::string name : {"mutagenesis", "molecule", "attention", "functions-aggregations",
                                 "functions-combinations", "functions-transformations", "xor"}) {
    SCOPED_TRACE(name);
    const auto file =
        read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/" + name + ".pb");
    ASSERT_TRUE(file) << file.error().text();
    const auto ops_of = [](const NeuronGraph& graph) {
      return statistics(*optimize(std::move(vectorize(graph)->program))).ops;
    };
    const std::uint64_t ops = ops_of(*file);
    NeuronGraph bare = *file;
    bare.vocabularies.clear();
    EXPECT_LE(ops_of(find_groups(in_one_group(bare))), ops + ops / 10);
    EXPECT_LE(ops_of(find_groups(in_a_group_each(bare))), ops + ops / 10);
  }
}

}  // namespace
}  // namespace vecc::test
