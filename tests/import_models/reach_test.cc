// Reachability: levels, sizes and values against a plain walk over the edges.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/import_models/knowledge_graph.h"
#include "tests/vectorize/vectorize_check.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;
using tools::ReachOptions;

struct Hop {
  std::uint32_t source;
  std::uint32_t relation;
  std::uint32_t target;
};

std::vector<Hop> hops_of(const TypedGraph& data, bool inverse) {
  std::vector<Hop> hops;
  for (std::size_t e = 0; e < data.edge_count(); ++e) {
    hops.push_back({data.source[e], data.relation[e], data.target[e]});
    if (!inverse) continue;
    hops.push_back({data.target[e], data.relation[e] + data.relation_count(), data.source[e]});
  }
  return hops;
}

// reach(n, X) for each level n, and how many neurons of each kind that takes.
struct Walk {
  std::vector<std::map<std::uint32_t, double>> levels;
  std::uint64_t bodies = 0;
  std::uint64_t aggregations = 0;
};

Walk walk(const TypedGraph& data, const ReachOptions& options,
          const std::vector<std::vector<double>>& w) {
  const std::vector<Hop> hops = hops_of(data, options.inverse);
  const auto index = index_of(data.node_names);
  Walk result;
  result.levels.resize(options.depth + std::size_t{1});
  for (const std::string& source : options.sources) {
    result.levels[0][index.at(source)] = std::tanh(1.0);
  }
  for (std::uint32_t n = 0; n < options.depth; ++n) {
    std::map<std::uint32_t, double> sums;
    std::set<std::pair<std::uint32_t, std::uint32_t>> heads;
    for (const Hop& hop : hops) {
      const auto from = result.levels[n].find(hop.source);
      if (from == result.levels[n].end()) continue;
      sums[hop.target] += (w.empty() ? 1.0 : w[hop.relation][0]) * from->second;
      heads.emplace(hop.relation, hop.target);
      ++result.bodies;
    }
    result.aggregations += heads.size();
    for (const auto& [node, sum] : sums) result.levels[n + std::size_t{1}][node] = std::tanh(sum);
  }
  return result;
}

Result<NeuronGraph> ground(const TypedGraph& data, const ReachOptions& options,
                           ImportLimits limits = {}) {
  return ground_to_graph([&](Grounder& out) { return tools::ground_reach(data, options, out); },
                         limits);
}

// Sizes, neurons by group and values against walk().
NeuronGraph check_reach(const TypedGraph& data, const ReachOptions& options) {
  const auto size = tools::measure_reach(data, options);
  auto graph = ground(data, options);
  EXPECT_TRUE(size && graph) << (graph ? size.error().text() : graph.error().text());
  if (!size || !graph) return {};
  EXPECT_EQ(size->neurons, graph->neuron_count());
  EXPECT_EQ(size->edges, graph->edge_count());
  EXPECT_EQ(size->reached, graph->samples.size());

  const Walk expected = walk(data, options, rows_of(*graph, "reach.w"));
  std::uint64_t atoms = 0;
  std::map<std::string, double> best;
  for (const auto& level : expected.levels) {
    atoms += level.size();
    for (const auto& [node, value] : level) {
      const auto entry = best.try_emplace(std::string(data.node_names[node]), value).first;
      entry->second = std::max(entry->second, value);
    }
  }
  const std::uint64_t sources = expected.levels[0].size();
  auto counts = count_neurons(*graph);
  EXPECT_EQ(counts["fact source/1"], sources);
  EXPECT_EQ(counts["rule reach/2"], sources);
  EXPECT_EQ(counts["weighted rule reach/2"], expected.bodies);
  EXPECT_EQ(counts["aggregation reach/2"], sources + expected.aggregations);
  EXPECT_EQ(counts["atom reach/2"], atoms);
  EXPECT_EQ(counts["rule reached/1"], atoms);
  EXPECT_EQ(counts["aggregation reached/1"], best.size());
  EXPECT_EQ(counts["atom reached/1"], best.size());

  const auto values = evaluate_reference(*graph);
  EXPECT_TRUE(values) << values.error().text();
  if (!values) return {};
  EXPECT_EQ(graph->samples.size(), best.size());
  for (std::size_t s = 0; s < graph->samples.size(); ++s) {
    const std::string id(graph->sample_ids[s]);
    EXPECT_NEAR(values->value(graph->samples[s].output)[0], best.at(id), 1e-12) << id;
  }
  return std::move(*graph);
}

ReachOptions from(std::vector<std::string> sources, std::uint32_t depth, bool inverse = false) {
  return {std::move(sources), depth, inverse};
}

// e0 -> e1 -> e2 -> e3, and e4 on its own.
TypedGraph chain() {
  return KnowledgeGraphBuilder(5, 2).edge(0, 0, 1).edge(1, 1, 2).edge(2, 0, 3).build();
}

TEST(Reach, ChainHasOneAtomALevel) {
  const NeuronGraph graph = check_reach(chain(), from({"e0"}, 2));
  EXPECT_EQ(count_neurons(graph)["atom reach/2"], 3u);
  EXPECT_EQ(graph.samples.size(), 3u);
  // Walks end after three hops, whatever the depth.
  EXPECT_EQ(count_neurons(check_reach(chain(), from({"e0"}, 50)))["atom reach/2"], 4u);
}

TEST(Reach, SourceWithoutEdges) {
  EXPECT_EQ(check_reach(chain(), from({"e4"}, 5)).samples.size(), 1u);
  EXPECT_EQ(check_reach(chain(), from({"e3"}, 5)).samples.size(), 1u);
  EXPECT_EQ(check_reach(chain(), from({"e3"}, 5, true)).samples.size(), 4u);
}

TEST(Reach, DepthZero) {
  EXPECT_EQ(check_reach(chain(), from({"e0", "e2"}, 0)).samples.size(), 2u);
}

TEST(Reach, RepeatedSourcesAreOne) {
  EXPECT_EQ(count_neurons(check_reach(chain(), from({"e1", "e0", "e1"}, 2)))["fact source/1"], 2u);
}

TEST(Reach, ParallelEdgesHaveARuleEach) {
  const TypedGraph data =
      KnowledgeGraphBuilder(2, 3).edge(0, 0, 1).edge(0, 1, 1).edge(0, 2, 1).edge(1, 0, 1).build();
  EXPECT_EQ(count_neurons(check_reach(data, from({"e0"}, 1)))["aggregation reach/2"], 4u);
  check_reach(data, from({"e0"}, 4, true));
}

TEST(Reach, TableAndTexts) {
  const NeuronGraph graph = check_reach(chain(), from({"e0"}, 2, true));
  ASSERT_EQ(graph.weight_tables.size(), 1u);
  const WeightTable& table = graph.weight_tables[0];
  EXPECT_EQ(table.count, 4u);
  EXPECT_TRUE(table.shape.is_scalar());
  EXPECT_EQ(table.row_names[1], "r1");
  EXPECT_EQ(table.row_names[2], "r0^-1");
  EXPECT_EQ(graph.groups[1].rule_text, "reach(0,X) :- source(X).");
  EXPECT_EQ(graph.groups[2].rule_text,
            "reach(N+1,X) :- {w_r} reach(N,Y), *r(Y,X), *next(N,N+1). [aggregation=sum]");
  EXPECT_EQ(graph.groups[4].rule_text, "reach/2 [activation=tanh]");
}

TEST(Reach, LevelsAreOneRecursiveComponent) {
  const NeuronGraph graph = check_reach(random_knowledge_graph(12, 2, 30, 1), from({"e0"}, 6));
  // Facts, the start rule, reach/2's three groups, reached/1's three.
  EXPECT_EQ(graph.groups.size(), 8u);
  const Vectorized vectorized = check_vectorize(graph);
  EXPECT_EQ(vectorized.report.recursive_components, 1u);
}

TEST(Reach, LevelsThatAreSmallPartsOfTheGraph) {
  const TypedGraph data = random_knowledge_graph(400, 3, 500, 8);
  for (const std::uint32_t depth : {1u, 4u, 9u, 30u}) {
    check_reach(data, from({"e1", "e2", "e3"}, depth));
    check_reach(data, from({"e200"}, depth, true));
  }
}

class ReachDepthTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ReachDepthTest, RandomGraphs) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    for (const bool inverse : {false, true}) {
      // Few edges: cycles, dead ends and entities that nothing reaches.
      const TypedGraph data = random_knowledge_graph(15, 3, 14 + 6 * seed, seed);
      const NeuronGraph graph = check_reach(data, from({"e0", "e3", "e7"}, GetParam(), inverse));
      if (GetParam() <= 12) check_vectorize(graph);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Depths, ReachDepthTest, testing::Values(1, 2, 3, 5, 12, 50));

TEST(Reach, SizesOfAnyDepth) {
  // Cycles of 2, 3 and 5: the levels repeat every 30, after a tail.
  KnowledgeGraphBuilder builder(16, 1);
  const std::uint32_t lengths[] = {2, 3, 5};
  std::uint32_t first = 1;
  for (const std::uint32_t length : lengths) {
    builder.edge(0, 0, first);
    for (std::uint32_t i = 0; i < length; ++i) builder.edge(first + i, 0, first + (i + 1) % length);
    first += length;
  }
  const TypedGraph data = builder.edge(1, 0, 12).edge(12, 0, 13).build();
  for (std::uint32_t depth = 0; depth < 200; depth += depth < 70 ? 1 : 13) {
    const ReachOptions options = from({"e0"}, depth);
    const Walk expected = walk(data, options, {});
    std::uint64_t atoms = 0;
    std::set<std::uint32_t> reached;
    for (const auto& level : expected.levels) {
      atoms += level.size();
      for (const auto& [node, value] : level) reached.insert(node);
    }
    const auto size = tools::measure_reach(data, options);
    ASSERT_TRUE(size);
    EXPECT_EQ(size->neurons,
              3 + expected.bodies + expected.aggregations + 2 * atoms + 2 * reached.size())
        << depth;
    EXPECT_EQ(size->reached, reached.size());
  }
  const auto deepest = tools::measure_reach(data, from({"e0"}, 0xFFFFFFFF));
  ASSERT_TRUE(deepest);
  EXPECT_GT(deepest->neurons, std::uint64_t{0xFFFFFFFF} * 12);
}

void expect_refused(const Errors& errors, ErrorCode code, const std::string& message) {
  EXPECT_EQ(errors.list().front().code, code);
  EXPECT_THAT(errors.text(), HasSubstr(message));
}

TEST(Reach, BadSources) {
  TypedGraph data = chain();
  data.node_names = {};
  for (const char* name : {"paris", "london", "perugia", "parish", "rome"}) {
    data.node_names.push_back(name);
  }
  const auto none = tools::measure_reach(data, from({}, 2));
  ASSERT_FALSE(none);
  expect_refused(none.error(), ErrorCode::Usage, "--source: none given");
  const auto unknown = ground(data, from({"rome", "pari", "xyzzyx"}, 2));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().list().size(), 2u);
  expect_refused(unknown.error(), ErrorCode::Usage,
                 "--source: small has no entity \"pari\"; did you mean \"paris\" or \"parish\"?");
  expect_refused(unknown.error(), ErrorCode::Usage, "--source: small has no entity \"xyzzyx\" [");
}

TEST(Reach, BadLimits) {
  const TypedGraph data = random_knowledge_graph(15, 3, 40, 2);
  const ReachOptions options = from({"e0"}, 20);
  const auto size = tools::measure_reach(data, options);
  ASSERT_TRUE(size);
  ImportLimits limits;
  limits.max_neurons = size->neurons;
  limits.max_edges = size->edges;
  EXPECT_TRUE(ground(data, options, limits));
  --limits.max_neurons;
  const auto neurons = ground(data, options, limits);
  ASSERT_FALSE(neurons);
  expect_refused(neurons.error(), ErrorCode::LimitNeurons,
                 "small: error: reach of depth 20 has " + std::to_string(size->neurons) +
                     " neurons, more than " + std::to_string(limits.max_neurons) +
                     "; lower --depth or raise --max-neurons");
  ++limits.max_neurons;
  --limits.max_edges;
  const auto edges = ground(data, options, limits);
  ASSERT_FALSE(edges);
  expect_refused(edges.error(), ErrorCode::LimitEdges, "lower --depth or raise --max-edges");
}

}  // namespace
}  // namespace vecc::test
