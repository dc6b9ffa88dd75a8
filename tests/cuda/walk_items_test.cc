// What each block does where one launch goes through a stage.
#include "backends/cuda/walk_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/random_source.h"

namespace vecc::cuda {
namespace {

std::vector<WalkStep> random_steps(test::RandomSource& random, std::uint32_t levels) {
  std::vector<WalkStep> steps;
  for (std::uint32_t level = 0; level < levels; ++level) {
    const std::uint32_t count = random.between(1, 5);
    for (std::uint32_t i = 0; i < count; ++i) {
      WalkStep step{.step = random.below(7),
                    .arguments = static_cast<std::uint32_t>(steps.size()) * 16,
                    .phase = level,
                    .level = random.below(3),
                    .work = random.below(100000),
                    .row_threads = {1},
                    .rows = {},
                    .blocks = {}};
      std::uint32_t row = 0;
      for (std::uint32_t pieces = random.below(12); pieces > 0; --pieces) {
        const std::uint32_t end = row + random.between(1, 40);
        step.rows.push_back({row, end, random.below(3)});
        row = end;
      }
      steps.push_back(std::move(step));
    }
  }
  return steps;
}

// By step (its arguments' place) the rows that are run in that level, by all blocks.
std::map<std::uint32_t, std::vector<std::uint32_t>> rows_in_phase(const WalkItems& items,
                                                                  std::uint32_t level) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> rows;
  for (std::size_t first = 0; first < items.items.size(); first += items.most) {
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < items.most; ++i) {
      const WalkItem& item = items.items[first + i];
      if (at == level && item.step != kNoStep) {
        for (std::uint32_t row = item.begin; row < item.end; ++row) {
          rows[item.arguments].push_back(row);
        }
      }
      at += item.ends & kEndsPhase;
      if ((item.ends & kEndsStage) != 0) break;
    }
  }
  return rows;
}

TEST(WalkItems, EveryRowIsRunOnceInItsPhase) {
  constexpr std::uint32_t kLevels = 6;
  test::RandomSource random(5);
  for (int i = 0; i < 50; ++i) {
    const std::vector<WalkStep> steps = random_steps(random, kLevels);
    for (const std::uint32_t blocks : {1u, 3u, 8u}) {
      const WalkItems items = make_walk_items(steps, blocks);
      ASSERT_EQ(items.items.size(), blocks * items.most);
      for (std::uint32_t level = 0; level < kLevels; ++level) {
        auto found = rows_in_phase(items, level);
        for (const WalkStep& step : steps) {
          const std::uint32_t rows = step.rows.empty() ? 0 : step.rows.back().end;
          if (step.phase != level || rows == 0) continue;
          std::vector<std::uint32_t>& run = found[step.arguments];
          std::ranges::sort(run);
          std::vector<std::uint32_t> all(rows);
          for (std::uint32_t row = 0; row < rows; ++row) all[row] = row;
          EXPECT_EQ(run, all);
          found.erase(step.arguments);
        }
        EXPECT_TRUE(found.empty());
      }
    }
  }
}

// Else some would wait for others that have gone.
TEST(WalkItems, EveryBlockMeetsTheOthersAfterEachPhase) {
  test::RandomSource random(6);
  const std::vector<WalkStep> steps = random_steps(random, 9);
  const WalkItems items = make_walk_items(steps, 5);
  for (std::size_t block = 0; block < 5; ++block) {
    std::uint32_t meetings = 0;
    bool ended = false;
    for (std::uint32_t i = 0; i < items.most && !ended; ++i) {
      const WalkItem& item = items.items[block * items.most + i];
      meetings += item.ends & kEndsPhase;
      ended = (item.ends & kEndsStage) != 0;
    }
    EXPECT_TRUE(ended) << block;
    EXPECT_EQ(meetings, 9u) << block;
  }
}

TEST(WalkItems, LevelsComeAfterWhatTheyWaitFor) {
  const std::vector<std::vector<std::uint32_t>> before{{}, {0}, {}, {1, 2}, {2}, {0}};
  EXPECT_EQ(levels_of(before), (std::vector<std::uint32_t>{0, 1, 0, 2, 1, 1}));
  EXPECT_TRUE(levels_of({}).empty());
}

}  // namespace
}  // namespace vecc::cuda
