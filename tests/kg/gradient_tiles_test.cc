// Derivatives in vector registers against plain loops, for every set of instructions.
#include "src/kg/train/gradient_tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace vecc::test {
namespace {

using kg::GradientKind;

// One number of q and e: parts of it, and what is added to its derivatives.
template <class T>
void add_pair(GradientKind kind, T c, const T* q, const T* e, T* dq, T* de) {
  constexpr std::size_t kLanes = kg::kPanelLanes<T>;
  if (kind == GradientKind::Product) {
    *dq += c * *e;
    *de += c * *q;
    return;
  }
  const T d = *q - *e;
  if (kind != GradientKind::Direction) {
    const T sign = d > 0 ? T{1} : d < 0 ? T{-1} : T{0};
    const T moved = c * (kind == GradientKind::Sign ? sign : d);
    *dq -= moved;
    *de += moved;
    return;
  }
  const T other = q[kLanes] - e[kLanes];
  const T length = std::sqrt(d * d + other * other);
  if (length == 0) return;
  dq[0] -= c * d / length;
  dq[kLanes] -= c * other / length;
  de[0] += c * d / length;
  de[kLanes] += c * other / length;
}

template <class T>
void expect_plain_gradients(GradientKind kind) {
  constexpr std::size_t kLanes = kg::kPanelLanes<T>;
  const std::size_t width = kind == GradientKind::Direction ? 2 * kLanes : kLanes;
  const std::size_t queries = 3 * kg::kGradientRows;
  const std::size_t entities = 131;  // more than stay in the first cache at a time
  const std::size_t stride = 144;
  std::mt19937 random(7);
  const auto draw = [&](std::size_t size) {
    std::vector<T> values;
    for (std::size_t i = 0; i < size; ++i) values.push_back(static_cast<T>(random() % 7) / 2 - 1);
    return values;
  };
  const std::vector<T> q = draw(queries * width);
  const std::vector<T> e = draw(entities * width);
  const std::vector<T> c = draw(queries * stride);
  const std::vector<T> start_q = draw(q.size());
  const std::vector<T> start_e = draw(e.size());
  std::vector<T> expected_q = start_q;
  std::vector<T> expected_e = start_e;
  for (std::size_t i = 0; i < queries; ++i) {
    for (std::size_t j = 0; j < entities; ++j) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t a = i * width + lane;
        const std::size_t b = j * width + lane;
        add_pair(kind, c[i * stride + j], &q[a], &e[b], &expected_q[a], &expected_e[b]);
      }
    }
  }
  for (const kg::RunGradient<T> run : kg::usable_gradient_kernels<T>(kind)) {
    std::vector<T> by_q = start_q;
    std::vector<T> by_e = start_e;
    run({q.data(), e.data(), queries, entities, c.data(), stride, by_q.data(), by_e.data()});
    for (std::size_t i = 0; i < by_q.size(); ++i) ASSERT_NEAR(by_q[i], expected_q[i], 1e-3) << i;
    for (std::size_t i = 0; i < by_e.size(); ++i) ASSERT_NEAR(by_e[i], expected_e[i], 1e-3) << i;
  }
}

TEST(GradientTiles, AddWhatPlainLoopsAdd) {
  for (std::size_t kind = 0; kind < kg::kGradientKinds; ++kind) {
    SCOPED_TRACE(kind);
    expect_plain_gradients<float>(static_cast<GradientKind>(kind));
    expect_plain_gradients<double>(static_cast<GradientKind>(kind));
  }
}

}  // namespace
}  // namespace vecc::test
