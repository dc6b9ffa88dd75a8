// Random typed graphs: distinct edges, the same on every machine, the degrees that were asked for.
#include "tools/import/load/synth.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "tools/import/load/splitmix.h"

namespace vecc::test {
namespace {

using tools::make_random_graph;
using tools::SynthOptions;
using tools::TypedGraph;

TypedGraph make(const SynthOptions& options) {
  Result<TypedGraph> graph = make_random_graph(options);
  if (!graph) throw std::logic_error(graph.error().text());
  return std::move(*graph);
}

std::string error_of(const SynthOptions& options) {
  const auto graph = make_random_graph(options);
  return graph ? "no error" : graph.error().text();
}

// FNV-1a over all edges in order.
std::uint64_t digest(const TypedGraph& graph) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  const auto add = [&](std::uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ (word >> shift & 0xFF)) * 0x100000001B3ull;
    }
  };
  for (std::size_t e = 0; e < graph.edge_count(); ++e) {
    add(graph.source[e]);
    add(graph.relation[e]);
    add(graph.target[e]);
  }
  return hash;
}

void expect_distinct(const TypedGraph& graph, const SynthOptions& options) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  for (std::size_t e = 0; e < graph.edge_count(); ++e) {
    EXPECT_LT(graph.source[e], options.nodes);
    EXPECT_LT(graph.target[e], options.nodes);
    EXPECT_LT(graph.relation[e], options.types);
    EXPECT_TRUE(seen.emplace(graph.source[e], graph.relation[e], graph.target[e]).second);
  }
  EXPECT_EQ(seen.size(), options.edges);
}

TEST(Synth, EdgesAreDistinct) {
  for (const bool zipf : {false, true}) {
    for (const auto& [nodes, edges, types] :
         std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>>{
             {1, 1, 2}, {2, 2, 1}, {10, 500, 10}, {40, 800, 1}, {1000, 20000, 7}, {5, 0, 1}}) {
      const SynthOptions options{nodes, edges, types, zipf, 3};
      expect_distinct(make(options), options);
    }
  }
}

TEST(Synth, NamesAreGiven) {
  const TypedGraph graph = make({4, 5, 2, false, 1});
  EXPECT_EQ(graph.name, "synth");
  EXPECT_EQ(graph.node_count, 4u);
  ASSERT_EQ(graph.relation_count(), 2u);
  EXPECT_EQ(graph.relation_names[0], "r0");
  EXPECT_EQ(graph.relation_names[1], "r1");
  EXPECT_EQ(graph.node_names.size(), 0u);
  ASSERT_EQ(graph.node_type_names.size(), 1u);
  EXPECT_TRUE(graph.labels.empty());
}

TEST(Synth, EveryNodeHasAClassAndTheSameEdges) {
  const TypedGraph plain = make({3000, 5000, 3, true, 9});
  const TypedGraph graph = make({3000, 5000, 3, true, 9, 3});
  EXPECT_EQ(digest(graph), digest(plain));
  ASSERT_EQ(graph.label_names.size(), 3u);
  EXPECT_EQ(graph.label_names[2], "c2");
  ASSERT_EQ(graph.labels.size(), 3000u);
  std::array<std::uint32_t, 3> nodes{};
  for (std::uint32_t node = 0; node < 3000; ++node) {
    EXPECT_EQ(graph.labels[node].node, node);
    ASSERT_LT(graph.labels[node].label, 3u);
    ++nodes[graph.labels[node].label];
  }
  for (const std::uint32_t count : nodes) EXPECT_NEAR(count, 1000, 100);
}

// Fixed numbers: any machine, compiler and standard library must give them.
TEST(Synth, SameForTheSameOptions) {
  EXPECT_EQ(digest(make({1000, 20000, 7, false, 1})), 5401229014094849478ull);
  EXPECT_EQ(digest(make({1000, 20000, 7, true, 1})), 15459304992208981364ull);
  EXPECT_EQ(digest(make({1000, 20000, 7, false, -5})), 2758047403646238834ull);
  EXPECT_NE(digest(make({1000, 20000, 7, true, 2})), digest(make({1000, 20000, 7, true, 1})));
}

// The known start of SplitMix64's stream of seed 0 and 1234567.
TEST(SplitMix, IsTheKnownStream) {
  tools::SplitMix zero(0);
  EXPECT_EQ(zero.next(), 0xE220A8397B1DCDAFull);
  EXPECT_EQ(zero.next(), 0x6E789E6AA1B965F4ull);
  tools::SplitMix other(1234567);
  EXPECT_EQ(other.next(), 6457827717110365317ull);
  EXPECT_EQ(other.next(), 3203168211198807973ull);
}

TEST(SplitMix, BelowIsUniform) {
  tools::SplitMix random(9);
  std::vector<int> count(7);
  for (int i = 0; i < 70000; ++i) ++count[random.below(7)];
  for (const int c : count) EXPECT_NEAR(c, 10000, 500);
  EXPECT_EQ(random.below(1), 0u);
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.below((1ull << 63) + 1), (1ull << 63) + 1);
}

std::vector<std::uint64_t> count_all(const std::vector<std::uint32_t>& column, std::uint32_t size) {
  std::vector<std::uint64_t> count(size);
  for (const std::uint32_t value : column) ++count[value];
  return count;
}

TEST(Synth, UniformDegrees) {
  const SynthOptions options{1000, 200000, 50, false, 4};
  const TypedGraph graph = make(options);
  // Poisson with mean 200: six standard deviations are 85.
  for (const auto* column : {&graph.source, &graph.target}) {
    for (const std::uint64_t degree : count_all(*column, options.nodes)) {
      EXPECT_NEAR(static_cast<double>(degree), 200, 85);
    }
  }
  for (const std::uint64_t count : count_all(graph.relation, options.types)) {
    EXPECT_NEAR(static_cast<double>(count), 4000, 380);
  }
}

TEST(Synth, ZipfDegrees) {
  const SynthOptions options{10000, 300000, 50, true, 4};
  const TypedGraph graph = make(options);
  for (const std::uint64_t degree : count_all(graph.source, options.nodes)) {
    EXPECT_NEAR(static_cast<double>(degree), 30, 40);
  }
  std::vector<std::uint64_t> degrees = count_all(graph.target, options.nodes);
  const std::vector<std::uint64_t> by_node = degrees;
  std::sort(degrees.rbegin(), degrees.rend());
  double harmonic = 0;
  for (std::uint32_t k = 1; k <= options.nodes; ++k) harmonic += 1.0 / k;
  for (const std::uint32_t k : {1u, 2u, 5u, 20u, 100u}) {
    const double expected = static_cast<double>(options.edges) / (k * harmonic);
    EXPECT_NEAR(static_cast<double>(degrees[k - 1]), expected, 6 * std::sqrt(expected) + 2) << k;
  }
  // The ranks are a random permutation of the nodes: the largest are not the first.
  std::uint64_t first_hundred = 0;
  for (int node = 0; node < 100; ++node) first_hundred += by_node[node];
  EXPECT_LT(first_hundred, options.edges / 4);
}

TEST(Synth, SelfLoopsAreEdgesLikeOthers) {
  const TypedGraph graph = make({10, 500, 10, false, 3});
  std::size_t loops = 0;
  for (std::size_t e = 0; e < graph.edge_count(); ++e) loops += graph.source[e] == graph.target[e];
  EXPECT_NEAR(static_cast<double>(loops), 50, 20);
}

TEST(Synth, BadOptions) {
  EXPECT_EQ(error_of({0, 5, 1, false, 1}),
            "vecc-import synth: error: --nodes=0, expected at least 1 [E050]");
  EXPECT_EQ(error_of({5, 5, 0, false, 1}),
            "vecc-import synth: error: --types=0, expected at least 1 [E050]");
  EXPECT_EQ(error_of({3, 10, 2, false, 1}),
            "vecc-import synth: error: --edges=10: more than half of the 18 distinct edges of 3 "
            "nodes and 2 types; raise --nodes or --types [E050]");
  EXPECT_EQ(error_of({3, 9, 2, true, 1}), "no error");
  EXPECT_EQ(error_of({1, 1, 1, false, 1}),
            "vecc-import synth: error: --edges=1: more than half of the 1 distinct edges of 1 "
            "nodes and 1 types; raise --nodes or --types [E050]");
  EXPECT_EQ(error_of({5, 1ull << 32, 1, false, 1}),
            "vecc-import synth: error: --edges=4294967296, expected fewer than 4294967295 [E042]");
}

}  // namespace
}  // namespace vecc::test
