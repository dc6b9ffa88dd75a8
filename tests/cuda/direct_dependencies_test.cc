// The edges of a graph: all that waits still waits, and nothing twice.
#include "backends/cuda/direct_dependencies.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace vecc::cuda {
namespace {

using Waits = std::vector<std::vector<std::uint32_t>>;
using testing::ElementsAre;

// Whether launch `from` waits for `to`, directly or in turn, but for the edge that is left out.
bool waits(const Waits& before, std::uint32_t from, std::uint32_t to, bool leave_edge_out = false) {
  return std::ranges::any_of(before[from], [&](std::uint32_t other) {
    if (other == to) return !leave_edge_out;
    return other > to && waits(before, other, to);
  });
}

TEST(DirectDependencies, what_is_waited_for_in_turn_is_left_out) {
  const Waits before{{}, {0}, {0, 1}, {}, {0, 1, 2, 3}, {1, 3}, {0, 2, 4, 5}};
  EXPECT_THAT(direct_dependencies(before),
              ElementsAre(ElementsAre(), ElementsAre(0), ElementsAre(1), ElementsAre(),
                          ElementsAre(3, 2), ElementsAre(3, 1), ElementsAre(5, 4)));
  EXPECT_TRUE(direct_dependencies({}).empty());
}

TEST(DirectDependencies, random_graphs_keep_their_order_and_no_edge_is_there_in_vain) {
  std::mt19937 random(1);
  for (std::uint32_t graph = 0; graph < 200; ++graph) {
    Waits before(1 + random() % 14);
    for (std::uint32_t l = 1; l < before.size(); ++l) {
      for (std::uint32_t other = 0; other < l; ++other) {
        if (random() % 3 == 0) before[l].push_back(other);
      }
      std::ranges::shuffle(before[l], random);
    }
    const Waits direct = direct_dependencies(before);
    ASSERT_EQ(direct.size(), before.size());
    for (std::uint32_t l = 0; l < before.size(); ++l) {
      for (std::uint32_t other = 0; other < l; ++other) {
        EXPECT_EQ(waits(direct, l, other), waits(before, l, other)) << l << " for " << other;
      }
      for (const std::uint32_t other : direct[l]) {
        EXPECT_FALSE(waits(direct, l, other, true)) << l << " for " << other;
      }
    }
  }
}

}  // namespace
}  // namespace vecc::cuda
