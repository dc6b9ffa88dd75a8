// What others wait for goes first, and results that can wait last.
#include "backends/cuda/launch_priorities.h"

#include <gmock/gmock.h>

namespace vecc::cuda {
namespace {

using Waits = std::vector<std::vector<std::uint32_t>>;

TEST(LaunchPriorities, ResultsWaitForTheChainBesideThem) {
  // A chain 0, 1, 3, 4, 6; beside it a sum (2) with a join of its pieces (5).
  const Waits before{{}, {0}, {0}, {1}, {3}, {2}, {4}};
  const std::vector<LaunchLoad> loads(before.size(), {10, false});
  const std::vector<int> found = launch_priorities(before, loads);
  for (const std::size_t chain : {0u, 1u, 3u, 4u, 6u}) {
    EXPECT_LT(found[chain], found[2]) << chain;
    EXPECT_EQ(found[chain], found[0]) << chain;
  }
  EXPECT_EQ(found[2], found[5]);
}

TEST(LaunchPriorities, AResultThatEndsLastIsNotPutOff) {
  const Waits before{{}, {0}, {0}, {2}};
  const std::vector<LaunchLoad> loads{{10, false}, {50, false}, {10, false}, {10, false}};
  const std::vector<int> found = launch_priorities(before, loads);
  EXPECT_EQ(found[1], found[0]);
  EXPECT_GT(found[3], found[1]);
}

TEST(LaunchPriorities, SmallOnesGoBeforeLargeOnesOfTheirKind) {
  const Waits before{{}, {}, {0, 1}, {0}, {2}, {0}, {4}, {6}};
  std::vector<LaunchLoad> loads(before.size(), {10, false});
  loads[1].is_small = loads[5].is_small = true;
  const std::vector<int> found = launch_priorities(before, loads);
  EXPECT_LT(found[1], found[0]);
  EXPECT_LT(found[5], found[3]);
  EXPECT_LT(found[0], found[5]);
}

TEST(LaunchPriorities, OfNothingThereAreNone) {
  EXPECT_TRUE(launch_priorities({}, {}).empty());
}

}  // namespace
}  // namespace vecc::cuda
