// The prelude's functions of rows and their vector-Jacobian products against src/function's.
#include "tests/kernel/prelude_case.h"

namespace vecc::test {
namespace {

using enum Transformation;

template <class T>
class Rows : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(Rows, Numbers);

Shape column_of(int size) {
  return Shape::column(static_cast<std::uint32_t>(size));
}

// Random rows; equal entries; ties; one huge entry; entries that are infinite or NaN.
template <class T>
std::vector<std::vector<T>> rows_of(int size) {
  const auto n = static_cast<std::size_t>(size);
  std::mt19937_64 random(size);
  std::vector<std::vector<T>> rows;
  for (const double range : {0.01, 0.5, 3.0, 30.0}) {
    for (int k = 0; k < 5; ++k) rows.push_back(random_values<T>(random, n, range));
  }
  rows.emplace_back(n, T(5));
  rows.push_back(random_values<T>(random, n));
  for (T& v : rows.back()) v = std::round(v);
  rows.push_back(random_values<T>(random, n));
  rows.back()[n / 2] = T(1e6);
  using Limits = std::numeric_limits<T>;
  for (const T special : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    for (const std::size_t at : {std::size_t(0), n - 1}) {
      rows.push_back(random_values<T>(random, n));
      rows.back()[at] = special;
    }
  }
  rows.emplace_back(n, -Limits::infinity());
  return rows;
}

template <class T>
std::vector<double> reference_row(Transformation t, const std::vector<T>& x) {
  std::vector<double> y(x.size());
  evaluate(prelude_spec(t), {}, column_of(static_cast<int>(x.size())), in_double(x), y);
  return y;
}

template <class T, class Map>
void check_rows(Transformation t, const RowMaps<T>& maps, Map map) {
  for (const std::vector<T>& x : rows_of<T>(maps.size)) {
    std::vector<T> y(x.size());
    map(x.data(), y.data());
    expect_close(y, reference_row(t, x), 40 * kRounding<T>, std::string(info(t).text));
  }
}

TYPED_TEST(Rows, Softmax) {
  for (const auto& maps : row_maps<TypeParam>()) check_rows(Softmax, maps, maps.softmax);
}
TYPED_TEST(Rows, LogSoftmax) {
  for (const auto& maps : row_maps<TypeParam>()) check_rows(LogSoftmax, maps, maps.logsoftmax);
}
TYPED_TEST(Rows, Sparsemax) {
  for (const auto& maps : row_maps<TypeParam>()) check_rows(Sparsemax, maps, maps.sparsemax);
}
TYPED_TEST(Rows, Norm) {
  for (const auto& maps : row_maps<TypeParam>()) check_rows(Norm, maps, maps.norm);
}

// An entry at the threshold is outside: exactly 0, as the reference has it.
TYPED_TEST(Rows, SparsemaxHasTheReferencesSupport) {
  for (const auto& maps : row_maps<TypeParam>()) {
    for (const auto& x : rows_of<TypeParam>(maps.size)) {
      std::vector<TypeParam> y(x.size());
      maps.sparsemax(x.data(), y.data());
      const std::vector<double> expected = reference_row(Sparsemax, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(y[i] > 0, expected[i] > 0) << "entry " << i << " of " << x.size();
      }
    }
  }
}

// Newton's iteration ends soon also where entries lie at all distances from the threshold.
TYPED_TEST(Rows, SparsemaxOfAGeometricSeries) {
  for (const auto& maps : row_maps<TypeParam>()) {
    std::vector<TypeParam> x(static_cast<std::size_t>(maps.size));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = -std::exp2(-TypeParam(i % 40));
    std::vector<TypeParam> y(x.size());
    maps.sparsemax(x.data(), y.data());
    expect_close(y, reference_row(Sparsemax, x), 4 * kRounding<TypeParam>, "sparsemax");
  }
}

// The vector-Jacobian product at the result that the prelude computed, with zeros in g.
template <class T, class Map, class Vjp>
void check_vjp(Transformation t, const RowMaps<T>& maps, Map map, Vjp vjp) {
  std::mt19937_64 random(3);
  for (const std::vector<T>& x : rows_of<T>(maps.size)) {
    std::vector<T> y(x.size());
    map(x.data(), y.data());
    std::vector<T> g = random_values<T>(random, x.size(), 1);
    for (std::size_t i = 1; i < g.size(); i += 4) g[i] = 0;
    std::vector<T> found(x.size());
    vjp(x.data(), y.data(), g.data(), found.data());
    std::vector<double> expected(x.size());
    differentiate(prelude_spec(t), {}, column_of(maps.size), in_double(x), in_double(y),
                  in_double(g), expected);
    // norm divides by as little as 1e-5.
    double scale = 1;
    for (const double e : expected) scale = std::isfinite(e) ? std::max(scale, std::abs(e)) : scale;
    expect_close(found, expected, 100 * scale * kRounding<T>, std::string(info(t).text));
  }
}

TYPED_TEST(Rows, SoftmaxVjp) {
  for (const auto& maps : row_maps<TypeParam>()) {
    check_vjp(Softmax, maps, maps.softmax,
              [&](auto, auto y, auto g, auto out) { maps.softmax_vjp(y, g, out); });
  }
}
TYPED_TEST(Rows, LogSoftmaxVjp) {
  for (const auto& maps : row_maps<TypeParam>()) {
    check_vjp(LogSoftmax, maps, maps.logsoftmax,
              [&](auto, auto y, auto g, auto out) { maps.logsoftmax_vjp(y, g, out); });
  }
}
TYPED_TEST(Rows, SparsemaxVjp) {
  for (const auto& maps : row_maps<TypeParam>()) {
    check_vjp(Sparsemax, maps, maps.sparsemax,
              [&](auto, auto y, auto g, auto out) { maps.sparsemax_vjp(y, g, out); });
  }
}
TYPED_TEST(Rows, NormVjp) {
  for (const auto& maps : row_maps<TypeParam>()) check_vjp(Norm, maps, maps.norm, maps.norm_vjp);
}

// Of both signs; nothing else is zero, however small.
TYPED_TEST(Rows, AllZero) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const RowMaps<TypeParam>& map : row_maps<TypeParam>()) {
    std::vector<TypeParam> x(static_cast<std::size_t>(map.size), TypeParam(0));
    for (std::size_t i = 0; i < x.size(); i += 2) x[i] = TypeParam(-0.0);
    EXPECT_TRUE(map.all_zero(x.data())) << map.size;
    for (const std::size_t at : {std::size_t(0), x.size() / 2, x.size() - 1}) {
      for (const TypeParam other : {TypeParam(1), -Limits::denorm_min(), Limits::quiet_NaN()}) {
        std::vector<TypeParam> row = x;
        row[at] = other;
        EXPECT_FALSE(map.all_zero(row.data())) << map.size << " " << at << " " << other;
      }
    }
  }
}

}  // namespace
}  // namespace vecc::test
