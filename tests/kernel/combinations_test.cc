// The prelude's combinations and their vector-Jacobian products against src/function's; and which
// part of the prelude serves each combination.
#include "src/kernel/prelude.h"
#include "tests/kernel/prelude_case.h"

namespace vecc::test {
namespace {

template <class T>
class Combinations : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(Combinations, Numbers);

Shape shape_of(int rows, int cols) {
  return Shape(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols));
}
std::vector<double> transposed(const std::vector<double>& x, int rows, int cols) {
  std::vector<double> y(x.size());
  evaluate(prelude_spec(Transformation::Transp), {}, shape_of(rows, cols), x, y);
  return y;
}

// A product's operands as they are stored, and as the reference has them.
template <class T>
struct ProductCase {
  const ProductMaps<T>& maps;
  std::vector<T> l, r, g;
  std::vector<double> left, right, y, g_left, g_right;

  explicit ProductCase(const ProductMaps<T>& of) : maps(of) {
    std::mt19937_64 random(4);
    const auto size = [](int a, int b) { return static_cast<std::size_t>(a * b); };
    l = random_values<T>(random, size(of.m, of.k));
    r = random_values<T>(random, size(of.k, of.n));
    g = random_values<T>(random, size(of.m, of.n));
    left = of.left_transposed ? transposed(in_double(l), of.k, of.m) : in_double(l);
    right = of.right_transposed ? transposed(in_double(r), of.n, of.k) : in_double(r);
    y.resize(g.size());
    g_left.resize(l.size());
    g_right.resize(r.size());
    const Element left_element{shape_of(of.m, of.k), left};
    const Element right_element{shape_of(of.k, of.n), right};
    times(left_element, right_element, y);
    differentiate_times(left_element, right_element, in_double(g), g_left, g_right);
    if (of.left_transposed) g_left = transposed(g_left, of.m, of.k);
    if (of.right_transposed) g_right = transposed(g_right, of.k, of.n);
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(maps.m) + "x" + std::to_string(maps.k) + "x" + std::to_string(maps.n) +
           (maps.left_transposed ? " left transposed" : "") +
           (maps.right_transposed ? " right transposed" : "");
  }
};

TYPED_TEST(Combinations, Times) {
  for (const auto& maps : product_maps<TypeParam>()) {
    const ProductCase<TypeParam> c(maps);
    std::vector<TypeParam> y(c.y.size());
    maps.times(c.l.data(), c.r.data(), y.data());
    expect_close(y, c.y, 200 * kRounding<TypeParam>, c.text());
  }
}

TYPED_TEST(Combinations, TimesAddAddsTheSameBits) {
  for (const auto& maps : product_maps<TypeParam>()) {
    const ProductCase<TypeParam> c(maps);
    std::vector<TypeParam> product(c.y.size());
    maps.times(c.l.data(), c.r.data(), product.data());
    std::vector<TypeParam> y = c.g;
    maps.times_add(c.l.data(), c.r.data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], c.g[i] + product[i]) << c.text();
  }
}

TYPED_TEST(Combinations, TimesVjps) {
  for (const auto& maps : product_maps<TypeParam>()) {
    const ProductCase<TypeParam> c(maps);
    std::vector<TypeParam> left(c.l.size());
    maps.left_vjp(c.r.data(), c.g.data(), left.data());
    expect_close(left, c.g_left, 400 * kRounding<TypeParam>, c.text() + ", left");
    std::vector<TypeParam> right(c.r.size());
    maps.right_vjp(c.l.data(), c.g.data(), right.data());
    expect_close(right, c.g_right, 400 * kRounding<TypeParam>, c.text() + ", right");
  }
}

TYPED_TEST(Combinations, TranspAndOuter) {
  for (const auto& maps : product_maps<TypeParam>()) {
    const ProductCase<TypeParam> c(maps);
    std::vector<TypeParam> y(c.g.size());
    maps.transp(c.g.data(), y.data());
    expect_close(y, transposed(in_double(c.g), maps.m, maps.n), 0, c.text());
    maps.outer(c.g.data(), c.g.data(), y.data());
    for (int i = 0; i < maps.m; ++i) {
      for (int j = 0; j < maps.n; ++j) EXPECT_EQ(y[i * maps.n + j], c.g[i] * c.g[j]) << c.text();
    }
  }
}

// A combination of two rows in the reference: its value and its gradients.
struct PairReference {
  std::vector<double> y, g_left, g_right;

  PairReference(Combination combination, const std::vector<double>& l, const std::vector<double>& r,
                const std::vector<double>& g)
      : y(g.size()), g_left(l.size()), g_right(r.size()) {
    const std::vector<Element> elements{{shape_of(static_cast<int>(l.size()), 1), l},
                                        {shape_of(static_cast<int>(r.size()), 1), r}};
    evaluate(combination, nullptr, elements, y);
    const std::vector<std::span<double>> gradients{g_left, g_right};
    differentiate(combination, nullptr, elements, y, g, gradients);
  }
};

TYPED_TEST(Combinations, CrossSum) {
  for (const auto& maps : product_maps<TypeParam>()) {
    std::mt19937_64 random(5);
    const auto l = random_values<TypeParam>(random, static_cast<std::size_t>(maps.m));
    const auto r = random_values<TypeParam>(random, static_cast<std::size_t>(maps.n));
    const auto g = random_values<TypeParam>(random, l.size() * r.size());
    const PairReference expected(Combination::CrossSum, in_double(l), in_double(r), in_double(g));
    std::vector<TypeParam> y(g.size()), g_left(l.size()), g_right(r.size());
    maps.crosssum(l.data(), r.data(), y.data());
    maps.crosssum_vjp_left(g.data(), g_left.data());
    maps.crosssum_vjp_right(g.data(), g_right.data());
    expect_close(y, expected.y, kRounding<TypeParam>, "crosssum");
    expect_close(g_left, expected.g_left, 100 * kRounding<TypeParam>, "left of crosssum");
    expect_close(g_right, expected.g_right, 100 * kRounding<TypeParam>, "right of crosssum");
  }
}

// Zero vectors included: NaN for both, even where g is 0.
TYPED_TEST(Combinations, CosSim) {
  for (const auto& maps : row_maps<TypeParam>()) {
    std::mt19937_64 random(6);
    for (const double range : {1.0, 5.0, 0.0}) {
      const auto n = static_cast<std::size_t>(maps.size);
      const auto l = random_values<TypeParam>(random, n, range);
      const auto r = random_values<TypeParam>(random, n);
      const std::vector<TypeParam> g{range > 0 ? TypeParam(2) : TypeParam(0)};
      const PairReference expected(Combination::CosSim, in_double(l), in_double(r), in_double(g));
      const std::vector<TypeParam> y{maps.cossim(l.data(), r.data())};
      std::vector<TypeParam> g_left(n), g_right(n);
      maps.cossim_vjp(l.data(), r.data(), y[0], g[0], g_left.data());
      maps.cossim_vjp(r.data(), l.data(), y[0], g[0], g_right.data());
      expect_close(y, expected.y, 100 * kRounding<TypeParam>, "cossim");
      const double length = std::max(1.0, 1 / std::abs(static_cast<double>(l[0])));
      expect_close(g_left, expected.g_left, 100 * length * kRounding<TypeParam>, "left of cossim");
      expect_close(g_right, expected.g_right, 400 * kRounding<TypeParam>, "right of cossim");
    }
  }
}

// Without, with one and with two zeros among the factors.
TYPED_TEST(Combinations, ElProductVjp) {
  for (const auto& maps : row_maps<TypeParam>()) {
    for (const int zeros : {0, 1, 2}) {
      std::mt19937_64 random(7);
      auto entries = random_values<TypeParam>(random, static_cast<std::size_t>(maps.size), 1.5);
      for (int k = 0; k < std::min(zeros, maps.size); ++k) entries[k * (maps.size - 1)] = 0;
      const std::vector<double> wide = in_double(entries);
      std::vector<double> expected(wide.size());
      std::vector<Element> elements;
      std::vector<std::span<double>> gradients;
      for (std::size_t k = 0; k < wide.size(); ++k) {
        elements.push_back({Shape::scalar(), std::span(wide).subspan(k, 1)});
        gradients.push_back(std::span(expected).subspan(k, 1));
      }
      const std::vector<double> g{3};
      differentiate(Combination::ElProduct, nullptr, elements, {}, g, gradients);
      std::vector<TypeParam> found(entries.size());
      maps.elproduct_vjp(entries.data(), TypeParam(3), found.data());
      expect_close(found, expected, 100 * kRounding<TypeParam>, "elproduct");
    }
  }
}

// Members whose sums tie, are infinite or NaN: the one that the reference selects.
TYPED_TEST(Combinations, MaxAndMinSelectTheReferencesMember) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> lists{
      {1, 3, 3, 2}, {3, 1, 1, 2},      {nan, 1, 2},     {1, nan, 2, nan, 0},
      {2, nan, 1},  {infinity, 1, -2}, {-infinity, -2}, {1, infinity, nan, infinity}};
  for (const std::vector<double>& sums : lists) {
    for (const bool largest : {true, false}) {
      std::vector<Element> elements;
      for (const double& sum : sums) elements.push_back({Shape::scalar(), {&sum, 1}});
      std::size_t best = 0;
      for (std::size_t i = 1; i < sums.size(); ++i) {
        if (is_better(largest, sums[i], sums[best])) best = i;
      }
      EXPECT_EQ(best, select_by_sum(elements, largest)) << testing::PrintToString(sums);
    }
  }
}

TYPED_TEST(Combinations, RowSumAddsInOrder) {
  for (const auto& maps : row_maps<TypeParam>()) {
    std::mt19937_64 random(8);
    const auto x = random_values<TypeParam>(random, static_cast<std::size_t>(maps.size), 1e3);
    TypeParam sum = 0;
    for (const TypeParam v : x) sum += v;
    EXPECT_EQ(maps.row_sum(x.data()), sum);
  }
}

// Every combination's arithmetic, beside additions and products of entries, that a kernel calls.
// One that is missing here does not compile.
std::string_view prelude_function(Combination combination) {
  switch (combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::Count:
    case Combination::Concat:
    case Combination::FunctionGraph: return "";  // written out by the caller
    case Combination::Max:
    case Combination::Min: return " better(";
    case Combination::Softmax: return " softmax(";
    case Combination::Sparsemax: return " sparsemax(";
    case Combination::Product: return " times(";
    case Combination::ElProduct: return " elproduct_vjp(";
    case Combination::CrossSum: return " crosssum(";
    case Combination::CosSim: return " cossim(";
  }
  return "unknown";
}

TEST(PreludeText, HasWhatEveryCombinationCalls) {
  for (const CombinationInfo& about : combinations()) {
    const std::string_view name = prelude_function(about.id);
    EXPECT_NE(kernel_prelude().find(name), std::string_view::npos) << about.text << name;
  }
}

}  // namespace
}  // namespace vecc::test
