// The checks of graph_checks.h on graphs of fixed seeds; runs wherever GoogleTest does, and on a
// GPU with VECC_TEST_DEVICE=cuda.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/properties/graph_checks.h"
#include "tests/support/random_graph.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kSeeds = 200;

// A graph of many layers takes a compiler a second: few of them.
bool is_compiled(std::uint64_t seed) {
  return seed % 16 == 0;
}

class RandomGraphs : public testing::TestWithParam<std::uint64_t> {
 protected:
  RandomGraph random_ = random_graph(random_options(GetParam()));
  const NeuronGraph& graph_ = random_.graph;
};

TEST_P(RandomGraphs, ReferenceIsRight) {
  EXPECT_EQ(check_reference(random_), "");
}
TEST_P(RandomGraphs, BackendsAgree) {
  EXPECT_EQ(check_agreement(graph_, false, is_compiled(GetParam())), "");
}
TEST_P(RandomGraphs, BackendsAgreeOnTies) {
  RandomGraphOptions options = random_options(GetParam());
  options.exact = true;
  const RandomGraph exact = random_graph(options);
  EXPECT_EQ(check_reference(exact), "");
  EXPECT_EQ(check_agreement(exact.graph, true, is_compiled(GetParam())), "");
}
TEST_P(RandomGraphs, ProgramTextRoundTrips) {
  EXPECT_EQ(check_program_text(graph_), "");
}
TEST_P(RandomGraphs, FileRoundTrips) {
  EXPECT_EQ(check_round_trip(graph_, static_cast<Compression>(GetParam() % 3)), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range<std::uint64_t>(0, kSeeds));

// The generator reaches what it says it does.

TEST(RandomGraphCoverage, SameSeedGivesTheSameGraph) {
  const RandomGraph first = random_graph(random_options(7)),
                    second = random_graph(random_options(7));
  EXPECT_EQ(first.graph.inputs, second.graph.inputs);
  EXPECT_EQ(first.values, second.values);
}

TEST(RandomGraphCoverage, AllFunctionsOccur) {
  std::map<Combination, std::uint64_t> combinations_seen;
  std::map<Transformation, std::uint64_t> transformations_seen;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const NeuronGraph graph = random_graph(random_options(seed)).graph;
    for (const NeuronRange& range : graph.ranges) {
      if (range.fact != FactKind::NotAFact) continue;
      const NeuronFunction& f = graph.functions[range.function];
      combinations_seen[f.combination] += range.count;
      transformations_seen[f.transformation.id] += range.count;
    }
  }
  for (const CombinationInfo& c : combinations()) {
    EXPECT_GE(combinations_seen[c.id], 50u) << c.text;
  }
  for (const TransformationInfo& t : transformations()) {
    if (t.origin == FunctionOrigin::Program) continue;
    EXPECT_GE(transformations_seen[t.id], 10u) << t.text;
  }
}

// Longest path in edges.
std::uint32_t depth_of(const NeuronGraph& graph) {
  std::vector<std::uint32_t> depth(graph.neuron_count());
  std::vector<NeuronId> pending;
  std::vector<bool> done(graph.neuron_count());
  for (NeuronId root = 0; root < graph.neuron_count(); ++root) {
    pending.push_back(root);
    while (!pending.empty()) {
      const NeuronId n = pending.back();
      const std::size_t before = pending.size();
      for (std::uint64_t e = graph.input_begin[n]; e < graph.input_begin[n + 1]; ++e) {
        if (!done[graph.inputs[e]]) pending.push_back(graph.inputs[e]);
        depth[n] = std::max(depth[n], depth[graph.inputs[e]] + 1);
      }
      if (pending.size() != before) continue;
      done[n] = true;
      pending.pop_back();
    }
  }
  return *std::max_element(depth.begin(), depth.end());
}

TEST(RandomGraphCoverage, ShapesOfGraphsOccur) {
  std::uint32_t deepest = 0, shallowest = 1000;
  std::uint64_t forward = 0, recursive = 0, single = 0, mixed = 0, weighted = 0, offsets = 0;
  std::uint64_t no_inputs = 0, learnable_facts = 0, unit_facts = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const NeuronGraph graph = random_graph(random_options(seed)).graph;
    deepest = std::max(deepest, depth_of(graph));
    shallowest = std::min(shallowest, depth_of(graph));
    for (const NeuronGroup& group : graph.groups) {
      single += group.neuron_count == 1 ? 1 : 0;
      mixed += group.ranges.size() > 1 && graph.ranges[group.ranges[0]].function !=
                                              graph.ranges[group.ranges[1]].function
                   ? 1
                   : 0;
    }
    for (const NeuronRange& range : graph.ranges) {
      weighted += range.weight_begin != kNoColumn ? 1 : 0;
      offsets += range.offset_begin != kNoColumn ? 1 : 0;
      learnable_facts += range.fact == FactKind::Learnable ? range.count : 0;
      unit_facts += range.fact == FactKind::Unit ? range.count : 0;
      for (NeuronId n = range.first; n < range.first + range.count; ++n) {
        if (range.fact == FactKind::NotAFact) {
          no_inputs += graph.input_begin[n] == graph.input_begin[n + 1] ? 1 : 0;
        }
        for (std::uint64_t e = graph.input_begin[n]; e < graph.input_begin[n + 1]; ++e) {
          forward += graph.inputs[e] > n ? 1 : 0;
          recursive += graph.ranges[graph.range_of(graph.inputs[e])].group == range.group ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GE(deepest, 50u);
  EXPECT_LE(shallowest, 2u);
  EXPECT_GE(forward, 1000u);
  EXPECT_GE(recursive, 1000u);
  EXPECT_GE(single, 100u);
  EXPECT_GE(mixed, 50u);
  EXPECT_GE(weighted, 500u);
  EXPECT_GE(offsets, 100u);
  EXPECT_GE(no_inputs, 50u);
  EXPECT_GE(learnable_facts, 100u);
  EXPECT_GE(unit_facts, 100u);
}

}  // namespace
}  // namespace vecc::test
