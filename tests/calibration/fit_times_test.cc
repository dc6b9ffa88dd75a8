// Non-negative least squares on relative errors.
#include "src/calibration/fit_times.h"

#include <gtest/gtest.h>

namespace vecc::test {
namespace {

TEST(FitTimes, FindsWhatMadeTheTimes) {
  std::vector<MeasuredTime> runs;
  for (const double a : {1.0, 5.0, 50.0}) {
    for (const double b : {0.0, 1e3, 1e9}) runs.push_back({{1, a, b}, 5 + 2 * a + 1e-6 * b});
  }
  const std::vector<double> found = fit_times(3, runs);
  EXPECT_NEAR(found[0], 5, 1e-6);
  EXPECT_NEAR(found[1], 2, 1e-6);
  EXPECT_NEAR(found[2], 1e-6, 1e-12);
}

// A unit is small, or large, beside the others: neither tells more.
TEST(FitTimes, UnitsDoNotMatter) {
  std::vector<MeasuredTime> runs;
  for (const double a : {1.0, 2.0, 3.0}) {
    for (const double b : {1.0, 7.0}) runs.push_back({{1e12 * a, 1e-12 * b}, a + 2 * b});
  }
  const std::vector<double> found = fit_times(2, runs);
  EXPECT_NEAR(found[0], 1e-12, 1e-18);
  EXPECT_NEAR(found[1], 2e12, 1e6);
}

// The third count would have to take back what the others are.
TEST(FitTimes, NothingIsNegative) {
  const std::vector<MeasuredTime> runs{{{1, 1, 0}, 3}, {{1, 2, 5}, 3.5}, {{1, 3, 1}, 6.5}};
  const std::vector<double> found = fit_times(3, runs);
  for (const double c : found) EXPECT_GE(c, 0);
  EXPECT_EQ(found[2], 0);
  EXPECT_GT(found[1], 0);
}

TEST(FitTimes, WhatCannotBeToldApartIsOneOfBoth) {
  std::vector<MeasuredTime> runs;
  for (const double a : {1.0, 3.0, 4.0}) runs.push_back({{a, 2 * a, 0}, 6 * a});
  const std::vector<double> found = fit_times(3, runs);
  EXPECT_NEAR(found[0] + 2 * found[1], 6, 1e-9);
  EXPECT_EQ(found[2], 0);
}

TEST(FitTimes, RunsWithoutATimeDoNotCount) {
  EXPECT_EQ(fit_times(1, {}), std::vector<double>{0});
  const std::vector<MeasuredTime> runs{{{1}, 0}, {{1}, 2}, {{2}, 4}};
  EXPECT_NEAR(fit_times(1, runs)[0], 2, 1e-12);
}

}  // namespace
}  // namespace vecc::test
