// When nodes of a graph start: roots are chained, and what others wait for has priority.
#include "backends/cuda/early_start.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace vecc::cuda {
namespace {

using Waits = std::vector<std::vector<std::uint32_t>>;
using testing::ElementsAre;
using testing::IsEmpty;

const LaunchTimes kTimes = default_gpu().launches;
constexpr NodeLoad kLight{.microseconds = 1, .is_small = true, .is_short = true};

// The nodes that wait last, and the one before them: the chain.
std::vector<std::uint32_t> chain_of(const std::vector<NodeStart>& starts) {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = 0; at + 1 < starts.size() && starts[at + 1].programmatic.waits_last;
       ++at) {
    EXPECT_THAT(starts[at + 1].before, ElementsAre(at));
    if (chain.empty()) chain.push_back(starts[at].node);
    chain.push_back(starts[at + 1].node);
  }
  return chain;
}

TEST(ChainedRoots, StandFirstWhereTheyAreNeededLast) {
  const Waits before{{}, {}, {}, {0, 1}, {3}, {2, 4}};
  const auto starts =
      plan_early_start(before, std::vector<NodeLoad>(before.size(), kLight), kTimes);
  EXPECT_THAT(chain_of(starts), ElementsAre(2, 0, 1));
  EXPECT_THAT(starts[0].before, IsEmpty());
  EXPECT_EQ(starts[3].node, 3u);
  EXPECT_THAT(starts[3].before, ElementsAre(1, 2));
  EXPECT_EQ(starts[5].node, 5u);
  EXPECT_THAT(starts[5].before, ElementsAre(0, 4));
}

TEST(ChainedRoots, AreSmallAndShortAndWaitedFor) {
  const Waits before{{}, {}, {}, {}, {}, {0, 1, 3, 4}, {}};
  std::vector<NodeLoad> loads(before.size(), kLight);
  loads[1].is_small = false;
  loads[3].is_short = false;
  EXPECT_THAT(chain_of(plan_early_start(before, loads, kTimes)), ElementsAre(0, 4));
}

TEST(ChainedRoots, OneAloneIsNoChain) {
  std::vector<NodeLoad> loads(3, kLight);
  loads[1].is_small = false;
  const auto starts = plan_early_start(Waits{{}, {}, {0, 1}}, loads, kTimes);
  EXPECT_THAT(chain_of(starts), IsEmpty());
  EXPECT_THAT(starts[2].before, ElementsAre(0, 1));
  EXPECT_THAT(plan_early_start({}, {}, kTimes), IsEmpty());
}

TEST(EarlyStart, LongNodesReleaseThoseBehindThemLate) {
  const Waits before{{}, {0}};
  const auto starts = plan_early_start(before, std::vector<NodeLoad>{{31}, {29}}, kTimes);
  EXPECT_TRUE(starts[0].programmatic.releases_last);
  EXPECT_FALSE(starts[1].programmatic.releases_last);
}

// By node; `before` has no roots that are chained.
std::vector<int> priorities_of(const Waits& before, const std::vector<NodeLoad>& loads,
                               const LaunchTimes& times = kTimes) {
  std::vector<int> priorities(before.size());
  for (const NodeStart& start : plan_early_start(before, loads, times)) {
    priorities[start.node] = start.priority;
  }
  return priorities;
}

TEST(LaunchPriorities, ResultsWaitForTheChainBesideThem) {
  // A chain 0, 1, 3, 4, 6; beside it a sum (2) with a join of its pieces (5).
  const Waits before{{}, {0}, {0}, {1}, {3}, {2}, {4}};
  const std::vector<int> found =
      priorities_of(before, std::vector<NodeLoad>(before.size(), NodeLoad{10}));
  for (const std::size_t chain : {0u, 1u, 3u, 4u, 6u}) {
    EXPECT_LT(found[chain], found[2]) << chain;
    EXPECT_EQ(found[chain], found[0]) << chain;
  }
  EXPECT_EQ(found[2], found[5]);
}

// A sum that ends when half of the chain has run can wait, unless the target says by how much more.
TEST(LaunchPriorities, HowLongAResultCanWaitIsTheTargets) {
  const Waits before{{}, {0}, {0}, {1}, {3}};
  const std::vector<NodeLoad> loads(before.size(), NodeLoad{10});
  LaunchTimes times = kTimes;
  EXPECT_GT(priorities_of(before, loads, times)[2], priorities_of(before, loads, times)[0]);
  times.can_wait = 0.6;
  EXPECT_EQ(priorities_of(before, loads, times)[2], priorities_of(before, loads, times)[0]);
}

TEST(LaunchPriorities, AResultThatEndsLastIsNotPutOff) {
  const Waits before{{}, {0}, {0}, {2}};
  const std::vector<int> found = priorities_of(before, {{10}, {50}, {10}, {10}});
  EXPECT_EQ(found[1], found[0]);
  EXPECT_GT(found[3], found[1]);
}

TEST(LaunchPriorities, SmallOnesGoBeforeLargeOnesOfTheirKind) {
  const Waits before{{}, {}, {0, 1}, {0}, {2}, {0}, {4}, {6}};
  std::vector<NodeLoad> loads(before.size(), {10});
  loads[1].is_small = loads[5].is_small = true;
  const std::vector<int> found = priorities_of(before, loads);
  EXPECT_LT(found[1], found[0]);
  EXPECT_LT(found[5], found[3]);
  EXPECT_LT(found[0], found[5]);
}

}  // namespace
}  // namespace vecc::cuda
