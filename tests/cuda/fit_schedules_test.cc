// Coefficients of schedules: fitted to made-up times they are what made them.
#include "backends/cuda/fit_schedules.h"

#include <gtest/gtest.h>

#include "tests/support/random_source.h"

namespace vecc::cuda {
namespace {

const ScheduleCoefficients kMade{
    .graph = {4, 1.5, 0.5, 3e-7}, .grid = {6, 2, 5e-6}, .parts = {7, 2.5, 0.8, 0.1, 2e-4}};

PartsCounts random_parts(test::RandomSource& random) {
  PartsCounts counts{.stages = 1, .phases = {}};
  counts.phases.resize(random.between(1, 6));
  for (auto& blocks : counts.phases) {
    blocks.resize(20);
    for (PartsCounts::Block& block : blocks) {
      block = {1.0 * random.below(20), 1.0 * random.below(40), 1.0 * random.below(100'000)};
    }
  }
  return counts;
}

std::vector<ScheduleCounts> random_counts() {
  std::vector<ScheduleCounts> all;
  test::RandomSource random(3);
  for (int i = 0; i < 60; ++i) {
    const double levels = random.between(1, 30);
    const double work = random.below(10'000'000);
    all.emplace_back(GraphCounts{1, levels, 1.0 * random.below(50), work});
    all.emplace_back(GridCounts{1, levels, work});
    all.emplace_back(random_parts(random));
  }
  return all;
}

void expect_near(const ScheduleCoefficients& found, const ScheduleCoefficients& expected) {
  const auto numbers = coefficient_values(found);
  const auto others = coefficient_values(expected);
  ASSERT_EQ(numbers.size(), others.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_NEAR(numbers[i].second, others[i].second, 1e-6 * others[i].second) << numbers[i].first;
  }
}

// Which block is the slowest is another one by the defaults, where the search begins.
TEST(FitSchedules, FindsWhatMadeTheTimes) {
  std::vector<MeasuredSchedule> runs;
  for (ScheduleCounts& counts : random_counts()) {
    const double time = predict_time(counts, kMade);
    runs.push_back({std::move(counts), time});
  }
  expect_near(fit_schedules(runs, default_gpu().schedules), kMade);
}

TEST(FitSchedules, WhatWasNotMeasuredIsTheDefault) {
  std::vector<MeasuredSchedule> runs;
  for (ScheduleCounts& counts : random_counts()) {
    if (!std::holds_alternative<GridCounts>(counts)) continue;
    const double time = predict_time(counts, kMade);
    runs.push_back({std::move(counts), time});
  }
  ScheduleCoefficients expected = default_gpu().schedules;
  expected.grid = kMade.grid;
  expect_near(fit_schedules(runs, default_gpu().schedules), expected);
}

TEST(FitSchedules, NothingIsNegative) {
  const std::vector<MeasuredSchedule> runs{{GraphCounts{1, 1, 0, 1e6}, 10},
                                           {GraphCounts{1, 2, 1, 2e6}, 9},
                                           {GraphCounts{1, 9, 2, 1e3}, 8}};
  for (const auto& [name, value] :
       coefficient_values(fit_schedules(runs, default_gpu().schedules))) {
    EXPECT_GE(value, 0) << name;
  }
}

}  // namespace
}  // namespace vecc::cuda
