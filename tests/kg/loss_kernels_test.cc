// Losses of many scores, for every set of instructions, against each score's by itself, in double.
#include "src/kg/train/loss_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "src/kg/train/triple_loss.h"

namespace vecc::test {
namespace {

using kg::kNoNegative;
using kg::LossOfNegatives;

// Some far from 0, and some that are no negatives; more than a block, and no whole vectors.
template <class T>
std::vector<T> draw_scores(std::size_t size = 523) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal(0, 3);
  std::vector<T> scores;
  for (std::size_t i = 0; i < size; ++i) {
    const double score = normal(random) * (i % 7 == 0 ? 40 : 1);
    scores.push_back(i % 5 == 3 ? kNoNegative<T> : static_cast<T>(score));
  }
  return scores;
}

template <class T>
class LossKernelsTest : public testing::Test {
 protected:
  static constexpr double kNear = sizeof(T) == 4 ? 2e-5 : 1e-12;  // relative, or of 1

  static void expect_near(T found, double expected, std::size_t i) {
    ASSERT_NEAR(found, expected, kNear * std::max(1.0, std::abs(expected))) << i;
  }
  static double weight(const LossOfNegatives<T>& of, T score) {
    if (of.temperature == 0) return 1;
    return std::exp(static_cast<double>(of.temperature) *
                    (static_cast<double>(score) - static_cast<double>(of.largest)));
  }
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(LossKernelsTest, Numbers);

TYPED_TEST(LossKernelsTest, LogisticAndMargin) {
  using T = TypeParam;
  const auto scores = draw_scores<T>();
  for (const T temperature : {T(0), T(0.5)}) {
    for (const auto* kernels : kg::usable_loss_kernels<T>()) {
      LossOfNegatives<T> of{.margin = T(1.5),
                            .label = T(0.125),
                            .positive = T(2),
                            .temperature = temperature,
                            .largest = *std::max_element(scores.begin(), scores.end()),
                            .scale = T(0.25)};
      double weights = 0;
      for (const T score : scores) weights += score == kNoNegative<T> ? 0 : this->weight(of, score);
      of.weights = kernels->sum_weights(of, scores.data(), scores.size());
      ASSERT_NEAR(of.weights / weights, 1, this->kNear);

      auto logistic = scores;
      auto margin = scores;
      T slope = 0;
      const double losses[] = {kernels->take_logistic(of, logistic.data(), logistic.size()),
                               kernels->take_margin(of, margin.data(), margin.size(), slope)};
      double sums[] = {0, 0};
      double slopes = 0;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        if (scores[i] == kNoNegative<T>) {
          ASSERT_EQ(logistic[i], 0);
          ASSERT_EQ(margin[i], 0);
          continue;
        }
        const double w = this->weight(of, scores[i]) / weights;
        const double x = static_cast<double>(of.margin) + static_cast<double>(scores[i]);
        sums[0] += w * (std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))) - 0.125 * x);
        this->expect_near(logistic[i], 0.25 * w * (1 / (1 + std::exp(-x)) - 0.125), i);
        const double excess = x - static_cast<double>(of.positive);
        sums[1] += w * std::max(excess, 0.0);
        slopes += excess > 0 ? w : 0;
        this->expect_near(margin[i], excess > 0 ? 0.25 * w : 0, i);
      }
      for (const int k : {0, 1}) ASSERT_NEAR(losses[k] / sums[k], 1, this->kNear) << k;
      ASSERT_NEAR(slope, slopes, this->kNear);
    }
  }
}

TYPED_TEST(LossKernelsTest, Softmax) {
  using T = TypeParam;
  const auto scores = draw_scores<T>();
  const T largest = *std::max_element(scores.begin(), scores.end());
  double exponentials = 0;
  double differences = 0;
  for (const T score : scores) {
    if (score == kNoNegative<T>) continue;
    const double difference = static_cast<double>(score) - static_cast<double>(largest);
    exponentials += std::exp(difference);
    differences += difference;
  }
  for (const auto* kernels : kg::usable_loss_kernels<T>()) {
    const auto sums = kernels->sum_softmax(scores.data(), scores.size(), largest);
    ASSERT_NEAR(sums.exponentials / exponentials, 1, this->kNear);
    ASSERT_NEAR(sums.differences / differences, 1, this->kNear);
    auto taken = scores;
    kernels->take_softmax(taken.data(), taken.size(), largest, sums.exponentials, T(0.01), T(3));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double difference = static_cast<double>(scores[i]) - static_cast<double>(largest);
      const double slope = std::exp(difference) / exponentials - 0.01;
      this->expect_near(taken[i], scores[i] == kNoNegative<T> ? 0 : 3 * slope, i);
    }
  }
}

// ln(1 + e^x) keeps its digits where e^x is small beside 1, and where it is infinite.
TYPED_TEST(LossKernelsTest, SoftplusFarFromZero) {
  using T = TypeParam;
  for (double x = -80; x <= 800; x += x < 20 ? 0.37 : 41) {
    const auto found = kg::formulas::softplus(static_cast<T>(x));
    const double at = static_cast<double>(static_cast<T>(x));
    const double value = std::max(at, 0.0) + std::log1p(std::exp(-std::abs(at)));
    ASSERT_NEAR(found.value / value, 1, sizeof(T) == 4 ? 4e-7 : 1e-15) << x;
    ASSERT_NEAR(found.slope * (1 + std::exp(-at)), 1, sizeof(T) == 4 ? 4e-7 : 1e-15) << x;
  }
}

}  // namespace
}  // namespace vecc::test
