#include "src/train/falling_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace vecc::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

// Each of them, what lies beside it, and the ends of all numbers are asked for.
void expect_counts(std::vector<double> numbers) {
  std::ranges::sort(numbers, std::greater{});
  std::vector<double> asked{kInfinity, -kInfinity, kMost, -kMost, 0, -0.0, kLeast};
  for (const double number : numbers) {
    for (const double to : {kInfinity, -kInfinity}) asked.push_back(std::nextafter(number, to));
    asked.push_back(number);
  }
  const training::FallingNumbers falling(numbers);
  for (const double number : asked) {
    const auto above = std::ranges::count_if(numbers, [&](double other) { return other > number; });
    EXPECT_EQ(falling.count_above(number), static_cast<std::size_t>(above)) << number;
  }
}

TEST(FallingNumbers, CountWhatIsAbove) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> even(-1, 1);
  std::vector<double> numbers;
  for (int i = 0; i < 500; ++i) numbers.push_back(even(random));
  expect_counts(numbers);
  for (double& number : numbers) number = number * number * number * number * 1e-12;  // most at 0
  expect_counts(numbers);
}

TEST(FallingNumbers, MayBeNoneOneOrAllTheSame) {
  expect_counts({});
  expect_counts({0.25});
  expect_counts({0.25, 0.25, 0.25});
}

TEST(FallingNumbers, MayBeOfAnyRange) {
  expect_counts({kMost, -kMost, 1, 2, 3});
  expect_counts({kLeast, 0, 2 * kLeast});
  expect_counts({1, std::nextafter(1, 2), 1e300, -1e-300});
  expect_counts({kInfinity, 1, 0.5, -kInfinity});
  expect_counts({kInfinity, 1, 0.5});
  expect_counts({1, 0.5, -kInfinity});
  expect_counts({kInfinity});
  expect_counts({-kInfinity, -kInfinity});
}

}  // namespace
}  // namespace vecc::test
