// Random sets of graphs: connected, at most 4 neighbours, hardly two alike, the same on every
// machine.
#include "tools/import/load/synth_set.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace vecc::test {
namespace {

using ::testing::HasSubstr;
using tools::GraphSet;
using tools::make_random_graph_set;
using tools::SynthSetOptions;

GraphSet make(const SynthSetOptions& options) {
  Result<GraphSet> set = make_random_graph_set(options);
  if (!set) throw std::logic_error(set.error().text());
  return std::move(*set);
}

std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

TEST(SynthSet, GraphsAreConnectedAndSimple) {
  const GraphSet set = make({300, 24, 7});
  ASSERT_EQ(set.graph_count(), 300u);
  std::vector<std::uint32_t> parents(set.node_count());
  for (std::uint32_t node = 0; node < set.node_count(); ++node) parents[node] = node;
  std::vector<int> degrees(set.node_count());
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t e = 0; e < set.edge_count(); ++e) {
    EXPECT_NE(set.source[e], set.target[e]);
    EXPECT_TRUE(seen.emplace(set.source[e], set.target[e]).second);
    ++degrees[set.source[e]];
    parents[root_of(parents, set.source[e])] = root_of(parents, set.target[e]);
  }
  for (const auto& [source, target] : seen) EXPECT_TRUE(seen.contains({target, source}));
  EXPECT_LE(std::ranges::max(degrees), 4);
  for (std::uint32_t graph = 0; graph < set.graph_count(); ++graph) {
    const std::uint32_t nodes = set.node_begin[graph + 1] - set.node_begin[graph];
    EXPECT_GE(nodes, 12u);
    EXPECT_LE(nodes, 36u);
    for (std::uint32_t node = set.node_begin[graph]; node < set.node_begin[graph + 1]; ++node) {
      EXPECT_EQ(root_of(parents, node), root_of(parents, set.node_begin[graph]));
    }
  }
}

TEST(SynthSet, ClassSaysWhetherAnEdgeJoinsTheLabels1And2) {
  const GraphSet set = make({500, 24, 1});
  std::vector<std::uint32_t> expected(set.graph_count());
  for (std::size_t e = 0; e < set.edge_count(); ++e) {
    if (set.node_labels[set.source[e]] != 1 || set.node_labels[set.target[e]] != 2) continue;
    const auto after = std::ranges::upper_bound(set.node_begin, set.source[e]);
    expected[static_cast<std::size_t>(after - set.node_begin.begin()) - 1] = 1;
  }
  EXPECT_EQ(set.graph_labels, expected);
  const auto positive = std::ranges::count(expected, 1u);
  EXPECT_GT(positive, 150);
  EXPECT_LT(positive, 350);
}

TEST(SynthSet, HardlyTwoAreAlike) {
  const GraphSet set = make({20000, 24, 3});
  std::set<std::string> texts;
  std::size_t edge = 0;
  for (std::uint32_t graph = 0; graph < set.graph_count(); ++graph) {
    const std::uint32_t begin = set.node_begin[graph];
    const std::uint32_t end = set.node_begin[graph + 1];
    std::string text;
    for (std::uint32_t node = begin; node < end; ++node) {
      text += static_cast<char>('a' + set.node_labels[node]);
    }
    for (; edge < set.edge_count() && set.source[edge] < end; ++edge) {
      text += ' ' + std::to_string(set.source[edge] - begin) + '-' +
              std::to_string(set.target[edge] - begin);
    }
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), 19990u);
}

TEST(SynthSet, IsTheSameOnEveryMachine) {
  const GraphSet set = make({3, 4, 5});
  EXPECT_EQ(set.node_begin, std::vector<std::uint32_t>({0, 5, 8, 14}));
  EXPECT_EQ(set.source, std::vector<std::uint32_t>({1, 0, 2, 0,  3, 0,  4,  0,  6, 5,  7,
                                                    5, 9, 8, 10, 8, 11, 10, 12, 8, 13, 9}));
  EXPECT_EQ(set.node_labels,
            std::vector<std::uint32_t>({0, 0, 0, 1, 2, 0, 2, 0, 0, 2, 0, 0, 2, 2}));
  EXPECT_NE(make({3, 4, 6}).node_labels, set.node_labels);
}

TEST(SynthSet, RefusesWhatNumbersCannotName) {
  const auto error_of = [](const SynthSetOptions& options) {
    const auto set = make_random_graph_set(options);
    return set ? std::string("no error") : set.error().text();
  };
  EXPECT_THAT(error_of({0, 24, 1}), HasSubstr("--graphs=0"));
  EXPECT_THAT(error_of({5, 1, 1}), HasSubstr("--nodes=1"));
  EXPECT_THAT(error_of({100'000'000, 24, 1}), HasSubstr("lower --graphs or --nodes"));
}

}  // namespace
}  // namespace vecc::test
