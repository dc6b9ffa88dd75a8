// Steps over threads: each tile once, a step after all of the one before, also where threads come
// late.
#include "src/runtime/shared_steps.h"

#include <gtest/gtest.h>

#include <vector>

namespace vecc::cpu {
namespace {

// Each piece counts itself and looks whether all of the step before are there.
struct Counted {
  explicit Counted(std::vector<std::size_t> tiles_of) : tile_counts(std::move(tiles_of)) {
    for (const std::size_t count : tile_counts) pieces.emplace_back(count == 0 ? 1 : count, 0);
  }
  [[nodiscard]] bool is_shared_out(std::size_t s) const { return tile_counts[s] > 0; }
  [[nodiscard]] std::size_t tiles(std::size_t s) const { return tile_counts[s]; }
  void run_step(std::size_t s) const { run_tile(s, 0, 0); }
  void run_tile(std::size_t s, std::size_t tile, std::uint32_t) const {
    // What is read and written here without a lock is ordered by the steps alone.
    for (std::size_t before = s == 0 ? 0 : s - 1; before < s; ++before) {
      for (const int count : pieces[before]) wrong += count == pieces[s][tile] + 1 ? 0 : 1;
    }
    ++pieces[s][tile];
    if (s == 1 && tile == 0) std::this_thread::yield();
  }

  std::vector<std::size_t> tile_counts;  // 0: a small step
  mutable std::vector<std::vector<int>> pieces;
  mutable std::atomic<int> wrong{0};
};

TEST(SharedSteps, each_tile_runs_once_after_the_step_before) {
  // A small step last, first, several together; one tile; more tiles than threads.
  const Counted walk({0, 7, 0, 0, 2, 31, 1, 0, 100, 3, 0});
  const std::size_t steps = walk.tile_counts.size();
  for (const std::uint32_t threads : {1u, 2u, 7u}) {
    ThreadTeam team(threads);
    SharedSteps shared(steps);
    for (int round = 0; round < 300; ++round) shared.run(0, steps, team, walk);
  }
  EXPECT_EQ(walk.wrong, 0);
  for (const std::vector<int>& pieces : walk.pieces) {
    for (const int count : pieces) EXPECT_EQ(count, 900);
  }
}

TEST(SharedSteps, a_part_of_the_steps_leaves_the_others) {
  const Counted walk({3, 0, 5, 0});
  ThreadTeam team(2);
  SharedSteps shared(4);
  shared.run(2, 3, team, walk);
  EXPECT_EQ(walk.pieces, (std::vector<std::vector<int>>{{0, 0, 0}, {0}, {1, 1, 1, 1, 1}, {0}}));
}

}  // namespace
}  // namespace vecc::cpu
