// Each set of instructions that runs here against plain loops.
#include "src/kg/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "src/kg/scorer.h"

namespace vecc::test {
namespace {

using kg::TileKind;

template <class T>
double plain_score(TileKind kind, const std::vector<T>& q, const std::vector<T>& e, double bias) {
  const std::size_t dim = q.size();
  double sum = 0;
  for (std::size_t k = 0; k < dim; ++k) {
    const double difference = static_cast<double>(q[k]) - e[k];
    switch (kind) {
      case TileKind::Projection:
      case TileKind::Product: sum += static_cast<double>(q[k]) * e[k]; break;
      case TileKind::L1: sum -= std::abs(difference); break;
      case TileKind::SquaredL2: sum -= difference * difference; break;
      case TileKind::L2: sum += difference * difference; break;
      case TileKind::ComplexL1:
        if (k < dim / 2) {
          sum -= std::hypot(difference, static_cast<double>(q[k + dim / 2]) - e[k + dim / 2]);
        }
    }
  }
  if (kind == TileKind::L2) return -std::sqrt(sum);
  return kind == TileKind::Product ? sum + bias : sum;
}

template <class T>
void expect_plain(const kg::TileKernels<T>& kernels, TileKind kind, std::uint32_t dim) {
  constexpr std::uint32_t kLanes = kg::kPanelLanes<T>;
  std::mt19937 random(dim);
  std::uniform_real_distribution<T> uniform(-1, 1);
  const auto draw = [&](std::uint32_t count) {
    std::vector<std::vector<T>> rows(count, std::vector<T>(dim));
    for (auto& row : rows) {
      for (T& value : row) value = uniform(random);
    }
    return rows;
  };
  const auto queries = draw(kernels.rows);
  const auto entities = draw(kLanes);
  kg::AlignedVector<T> tile(dim * kernels.rows);
  kg::AlignedVector<T> panel(dim * kLanes);
  for (std::uint32_t k = 0; k < dim; ++k) {
    for (std::uint32_t row = 0; row < kernels.rows; ++row) {
      tile[k * kernels.rows + row] = queries[row][k];
    }
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      panel[k * kLanes + lane] = entities[lane][k];
  }
  std::vector<T> bias(kernels.rows, T{0.25});
  const std::size_t stride = kLanes + 3;
  std::vector<T> out(kernels.rows * stride);
  kernels.of(kind)(tile.data(), panel.data(), dim, bias.data(), out.data(), stride);
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-13;
  for (std::uint32_t row = 0; row < kernels.rows; ++row) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const double expected = plain_score(kind, queries[row], entities[lane], 0.25);
      EXPECT_NEAR(out[row * stride + lane], expected,
                  tolerance * std::max(1.0, std::abs(expected)));
    }
  }
}

template <class T>
void expect_counts(const kg::TileKernels<T>& kernels) {
  std::mt19937 random(4);
  for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 1000u}) {
    std::vector<T> scores;
    for (std::size_t i = 0; i < n; ++i) scores.push_back(static_cast<T>(random() % 4));
    if (n > 3) scores[3] = -std::numeric_limits<T>::infinity();
    std::uint64_t above = 5;
    std::uint64_t equal = 7;
    kernels.count(scores.data(), n, T{2}, above, equal);
    for (const T score : scores) {
      above -= score > 2 ? 1 : 0;
      equal -= score == 2 ? 1 : 0;
    }
    EXPECT_EQ(above, 5u);
    EXPECT_EQ(equal, 7u);
  }
}

template <class T>
void expect_all_sets() {
  for (const kg::TileKernels<T>* kernels : kg::usable_tile_kernels<T>()) {
    SCOPED_TRACE(kernels->rows);
    for (std::size_t kind = 0; kind < kg::kTileKinds; ++kind) {
      for (const std::uint32_t dim : {2u, 6u, 100u}) {
        SCOPED_TRACE(kind);
        expect_plain(*kernels, static_cast<TileKind>(kind), dim);
      }
    }
    expect_counts(*kernels);
  }
}

TEST(Tiles, EverySetOfInstructionsIsAPlainLoop) {
  expect_all_sets<float>();
  expect_all_sets<double>();
}

TEST(Tiles, ANaNScoreIsTheLowestAndAProjectionKeepsIt) {
  for (const kg::TileKernels<float>* kernels : kg::usable_tile_kernels<float>()) {
    kg::AlignedVector<float> tile(kernels->rows, std::numeric_limits<float>::quiet_NaN());
    kg::AlignedVector<float> panel(kg::kPanelLanes<float>, 1);
    std::vector<float> bias(kernels->rows);
    std::vector<float> out(kernels->rows * kg::kPanelLanes<float>);
    const auto run = [&](TileKind kind) {
      kernels->of(kind)(tile.data(), panel.data(), 1, bias.data(), out.data(),
                        kg::kPanelLanes<float>);
      return out.back();
    };
    EXPECT_EQ(run(TileKind::Product), -std::numeric_limits<float>::infinity());
    EXPECT_EQ(run(TileKind::L1), -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(run(TileKind::Projection)));
  }
}

}  // namespace
}  // namespace vecc::test
