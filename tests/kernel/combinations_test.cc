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
  std::vector<double> left, right, y;

  explicit ProductCase(const ProductMaps<T>& of) : maps(of) {
    std::mt19937_64 random(4);
    const auto size = [](int a, int b) { return static_cast<std::size_t>(a * b); };
    l = random_values<T>(random, size(of.m, of.k));
    r = random_values<T>(random, size(of.k, of.n));
    g = random_values<T>(random, size(of.m, of.n));
    left = of.left_transposed ? transposed(in_double(l), of.k, of.m) : in_double(l);
    right = of.right_transposed ? transposed(in_double(r), of.n, of.k) : in_double(r);
    y.resize(g.size());
    const Element left_element{shape_of(of.m, of.k), left};
    const Element right_element{shape_of(of.k, of.n), right};
    times(left_element, right_element, y);
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

// Any number of rows: none behind the last one is read or written, and a row's products are the
// same whatever stands beside it.
TYPED_TEST(Combinations, RowsTimesAMatrix) {
  using T = TypeParam;
  for (const auto& maps : product_maps<T>()) {
    if (maps.left_transposed) continue;
    const ProductCase<T> c(maps);
    const auto at = [](unsigned a, int b) { return a * static_cast<std::size_t>(b); };
    const auto& product = maps.right_transposed ? maps.times_matrix_rows : maps.times_matrix;
    for (const unsigned count : {1u, 5u, 6u, 8u, 13u, 24u}) {
      std::mt19937_64 random(7);
      const auto x = random_values<T>(random, at(count, maps.k));
      const T untouched = T(-99);
      std::vector<T> y(at(count + 1, maps.n), untouched);
      product(c.r.data(), count, x.data(), y.data());
      EXPECT_EQ(std::vector<T>(y.end() - maps.n, y.end()),
                std::vector<T>(at(1, maps.n), untouched));
      y.resize(at(count, maps.n));
      std::vector<double> expected(y.size());
      const std::vector<double> rows = in_double(x);
      times(Element{shape_of(static_cast<int>(count), maps.k), rows},
            Element{shape_of(maps.k, maps.n), c.right}, expected);
      expect_close(y, expected, 200 * kRounding<T>, c.text() + ", rows " + std::to_string(count));
      for (unsigned b = 0; b < count; ++b) {
        std::vector<T> alone(at(1, maps.n));
        product(c.r.data(), 1, x.data() + at(b, maps.k), alone.data());
        EXPECT_TRUE(
            std::equal(alone.begin(), alone.end(), y.begin() + static_cast<long>(at(b, maps.n))));
      }
    }
  }
}

template <class T>
std::vector<double> sum_of_outer_products(const ProductMaps<T>& maps, const std::vector<T>& g,
                                          const std::vector<T>& x, const std::vector<T>& before,
                                          int count) {
  const auto at = [](int a, int b) { return static_cast<std::size_t>(a * b); };
  std::vector<double> sum = in_double(before);
  for (int e = 0; e < count; ++e) {
    for (int i = 0; i < maps.m; ++i) {
      for (int j = 0; j < maps.n; ++j) {
        sum[at(i, maps.n) + at(j, 1)] += static_cast<double>(g[at(e, maps.m) + at(i, 1)]) *
                                         static_cast<double>(x[at(e, maps.n) + at(j, 1)]);
      }
    }
  }
  return sum;
}

// Of any number of members; each entry is added up in their order, then to what is there, which is
// the same where the transpose of the sum is kept.
TYPED_TEST(Combinations, OuterSumsAreAdded) {
  using T = TypeParam;
  int turned_ones = 0;
  for (const auto& maps : product_maps<T>()) {
    turned_ones += maps.turns_outer_sum ? 1 : 0;
    for (const int count : {1, 7, 32}) {
      std::mt19937_64 random(6);
      const auto at = [](int a, int b) { return static_cast<std::size_t>(a * b); };
      const auto g = random_values<T>(random, at(count, maps.m));
      const auto x = random_values<T>(random, at(count, maps.n));
      const auto before = random_values<T>(random, at(maps.m, maps.n));
      std::vector<T> y = before;
      maps.add_outer_sum(false, g.data(), x.data(), count, y.data());
      maps.finish_outer_sum(false, y.data());
      expect_close(
          y, sum_of_outer_products(maps, g, x, before, count), 200 * kRounding<T>,
          std::to_string(maps.m) + "x" + std::to_string(maps.n) + " of " + std::to_string(count));
      if (!maps.turns_outer_sum) continue;
      std::vector<T> turned(y.size());
      for (int i = 0; i < maps.m; ++i) {
        for (int j = 0; j < maps.n; ++j) {
          turned[at(j, maps.m) + at(i, 1)] = before[at(i, maps.n) + at(j, 1)];
        }
      }
      maps.add_outer_sum(true, g.data(), x.data(), count, turned.data());
      maps.finish_outer_sum(true, turned.data());
      EXPECT_EQ(turned, y) << maps.m << "x" << maps.n << " of " << count;
    }
  }
  EXPECT_GT(turned_ones, 0);
}

TYPED_TEST(Combinations, Transp) {
  for (const auto& maps : product_maps<TypeParam>()) {
    const ProductCase<TypeParam> c(maps);
    std::vector<TypeParam> y(c.g.size());
    maps.transp(c.g.data(), y.data());
    expect_close(y, transposed(in_double(c.g), maps.m, maps.n), 0, c.text());
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
    case Combination::ElProduct:
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: return "";  // written out by the caller
    case Combination::Softmax: return " softmax(";
    case Combination::Sparsemax: return " sparsemax(";
    case Combination::Product: return " times(";
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
