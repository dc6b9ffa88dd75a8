// What is done with a row, for every set of instructions, against the formulas one by one.
#include "src/kg/train/row_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "src/kg/formulas/scores.h"

namespace vecc::test {
namespace {

using kg::RowOptimizer;
using kg::TileKind;

constexpr std::size_t kNumbers = 2 * 53;  // of complex ones both parts; more than whole vectors

// Halves between -2 and 2: 0 and equal numbers, too.
template <class T>
std::vector<T> draw_row(std::uint32_t seed, std::size_t size = kNumbers) {
  std::mt19937 random(seed);
  std::vector<T> values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(static_cast<T>(random() % 9) / 2 - 2);
  return values;
}

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-5) << i;
}

template <class T>
class RowKernelsTest : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(RowKernelsTest, Numbers);

TYPED_TEST(RowKernelsTest, Add) {
  const auto x = draw_row<TypeParam>(1);
  for (const auto* kernels : kg::usable_row_kernels<TypeParam>()) {
    auto sum = draw_row<TypeParam>(2);
    auto expected = sum;
    for (std::size_t k = 0; k < kNumbers; ++k) expected[k] += x[k];
    kernels->add(x.data(), kNumbers, sum.data());
    EXPECT_EQ(sum, expected);
  }
}

// docs/training-reference.md has the formulas.
TYPED_TEST(RowKernelsTest, MoveByEachOptimizer) {
  using T = TypeParam;
  const kg::formulas::RowRates<T> r{.rate = T(0.1),
                                    .epsilon = T(1e-3),
                                    .beta1 = T(0.9),
                                    .beta2 = T(0.99),
                                    .correction1 = T(0.19),
                                    .correction2 = T(0.02)};
  const auto g = draw_row<T>(3);
  for (const RowOptimizer optimizer :
       {RowOptimizer::Sgd, RowOptimizer::Adagrad, RowOptimizer::Adam}) {
    auto w = draw_row<T>(4);
    std::vector<T> first(kNumbers, T(0.25));
    std::vector<T> second(kNumbers, T(0.5));
    for (std::size_t k = 0; k < kNumbers; ++k) {
      if (optimizer == RowOptimizer::Sgd) w[k] -= r.rate * g[k];
      if (optimizer == RowOptimizer::Adagrad) {
        first[k] += g[k] * g[k];
        w[k] -= r.rate * g[k] / (std::sqrt(first[k]) + r.epsilon);
      }
      if (optimizer == RowOptimizer::Adam) {
        first[k] = r.beta1 * first[k] + (1 - r.beta1) * g[k];
        second[k] = r.beta2 * second[k] + (1 - r.beta2) * g[k] * g[k];
        w[k] -= r.rate * (first[k] / r.correction1) /
                (std::sqrt(second[k] / r.correction2) + r.epsilon);
      }
    }
    for (const auto* kernels : kg::usable_row_kernels<T>()) {
      auto moved = draw_row<T>(4);
      std::vector<T> states[] = {std::vector<T>(kNumbers, T(0.25)),
                                 std::vector<T>(kNumbers, T(0.5))};
      const bool has_first = optimizer != RowOptimizer::Sgd;
      const bool has_second = optimizer == RowOptimizer::Adam;
      kernels->move(optimizer)(r, g.data(), kNumbers, moved.data(),
                               has_first ? states[0].data() : nullptr,
                               has_second ? states[1].data() : nullptr);
      expect_near(moved, w);
      expect_near(states[0], first);
      expect_near(states[1], second);
    }
  }
}

// Of what the score adds up, by central differences of it; where |d| has a corner, nothing.
template <class T>
double sum_of(TileKind kind, const std::vector<T>& q, const std::vector<T>& e, std::size_t k) {
  const std::size_t half = kNumbers / 2;
  const double d = static_cast<double>(q[k]) - static_cast<double>(e[k]);
  switch (kind) {
    case TileKind::Projection:
    case TileKind::Product: return static_cast<double>(q[k]) * static_cast<double>(e[k]);
    case TileKind::L1: return -std::abs(d);
    case TileKind::ComplexL1: {
      const std::size_t other = k < half ? half + k : k - half;
      return -std::hypot(d, static_cast<double>(q[other]) - static_cast<double>(e[other]));
    }
    case TileKind::SquaredL2:
    case TileKind::L2: return -d * d / 2;
  }
  return 0;
}

TYPED_TEST(RowKernelsTest, AddWhatAPairPassesOn) {
  using T = TypeParam;
  constexpr T kStep = T(0.015625);
  const T c = T(0.75);
  const auto q = draw_row<T>(5);
  const auto e = draw_row<T>(6);
  for (std::size_t kind = 0; kind < kg::kTileKinds; ++kind) {
    const auto tile = static_cast<TileKind>(kind);
    for (const auto* kernels : kg::usable_row_kernels<T>()) {
      std::vector<T> dq(kNumbers);
      std::vector<T> de(kNumbers);
      kernels->add_pair(tile)(c, q.data(), e.data(), kNumbers, dq.data(), de.data());
      for (std::size_t k = 0; k < kNumbers; ++k) {
        auto above = q;
        auto below = q;
        above[k] += kStep;
        below[k] -= kStep;
        const double slope = (sum_of(tile, above, e, k) - sum_of(tile, below, e, k)) / (2 * kStep);
        ASSERT_NEAR(dq[k], static_cast<double>(c) * slope, 2e-3) << kind << ", " << k;
        if (kg::formulas::is_of_difference(tile)) {
          ASSERT_EQ(de[k], -dq[k]);
        } else {
          ASSERT_EQ(de[k], c * q[k]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace vecc::test
