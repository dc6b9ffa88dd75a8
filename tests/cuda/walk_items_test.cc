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
                    .level = level,
                    .work = random.below(100000),
                    .rows = {}};
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
std::map<std::uint32_t, std::vector<std::uint32_t>> rows_in_level(const WalkItems& items,
                                                                  std::uint32_t level) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> rows;
  for (std::size_t block = 0; block + 1 < items.firsts.size(); ++block) {
    std::uint32_t at = 0;
    for (std::uint32_t i = items.firsts[block]; i < items.firsts[block + 1]; ++i) {
      const WalkItem& item = items.items[i];
      if (at == level && item.step != kNoStep) {
        for (std::uint32_t row = item.begin; row < item.end; ++row) {
          rows[item.arguments].push_back(row);
        }
      }
      at += item.ends_level;
    }
  }
  return rows;
}

TEST(WalkItems, EveryRowIsRunOnceInItsLevel) {
  constexpr std::uint32_t kLevels = 6;
  test::RandomSource random(5);
  for (int i = 0; i < 50; ++i) {
    const std::vector<WalkStep> steps = random_steps(random, kLevels);
    for (const std::uint32_t blocks : {1u, 3u, 8u}) {
      const WalkItems items = make_walk_items(steps, blocks);
      ASSERT_EQ(items.firsts.size(), blocks + 1);
      for (std::uint32_t level = 0; level < kLevels; ++level) {
        auto found = rows_in_level(items, level);
        for (const WalkStep& step : steps) {
          const std::uint32_t rows = step.rows.empty() ? 0 : step.rows.back().end;
          if (step.level != level || rows == 0) continue;
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
TEST(WalkItems, EveryBlockMeetsTheOthersAfterEachLevel) {
  test::RandomSource random(6);
  const std::vector<WalkStep> steps = random_steps(random, 9);
  const WalkItems items = make_walk_items(steps, 5);
  std::uint32_t most = 0;
  for (std::size_t block = 0; block < 5; ++block) {
    std::uint32_t meetings = 0;
    for (std::uint32_t i = items.firsts[block]; i < items.firsts[block + 1]; ++i) {
      meetings += items.items[i].ends_level;
    }
    EXPECT_EQ(meetings, 9u) << block;
    EXPECT_EQ(items.items[items.firsts[block + 1] - 1].ends_level, 1u) << block;
    most = std::max(most, items.firsts[block + 1] - items.firsts[block]);
  }
  EXPECT_EQ(items.most, most);
}

TEST(WalkItems, LevelsComeAfterWhatTheyWaitFor) {
  const std::vector<std::vector<std::uint32_t>> before{{}, {0}, {}, {1, 2}, {2}, {0}};
  EXPECT_EQ(levels_of(before), (std::vector<std::uint32_t>{0, 1, 0, 2, 1, 1}));
  EXPECT_TRUE(levels_of({}).empty());
}

}  // namespace
}  // namespace vecc::cuda
