// The prelude's scalar functions and derivatives against src/function's, at special and at random
// arguments; and that vectorizing a loop changes no bit.
#include <cstring>

#include "src/kernel/prelude.h"
#include "tests/kernel/prelude_case.h"

namespace vecc::test {
namespace {

template <class T>
class Scalars : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(Scalars, Numbers);

// Kinks, clamps, signed zeros, subnormal and huge numbers, infinities, NaN; then random ones.
template <class T>
std::vector<T> arguments() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const double v :
       {0.0,  0.5,  1.0,  1.25, 2.0,  1e-3,  1e-9,  8.0,   9.5,   14.4,  14.6,  17.0, 40.0,
        80.0, 87.0, 88.5, 89.0, 99.9, 100.0, 100.1, 103.0, 104.5, 118.0, 700.0, 1e6}) {
    values.push_back(static_cast<T>(v));
  }
  for (const T v : {Limits::min(), Limits::denorm_min(), Limits::max(), Limits::infinity()}) {
    values.push_back(v);
  }
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  std::mt19937_64 random(2);
  for (const double range : {1.0, 10.0, 120.0}) {
    for (const T v : random_values<T>(random, 1000, range)) values.push_back(v);
  }
  return values;
}

TYPED_TEST(Scalars, AgreeWithTheReference) {
  const std::vector<TypeParam> x = arguments<TypeParam>();
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Elementwise) continue;
    std::vector<TypeParam> y(x.size());
    EXPECT_EQ(map_entries<TypeParam>(about.id, TypeParam(0.25), x, y), PreludeForm::Entry);
    std::vector<double> expected(x.size());
    evaluate(prelude_spec(about.id, 0.25), {}, Shape::column(static_cast<std::uint32_t>(x.size())),
             in_double(x), expected);
    expect_close(y, expected, 3 * kRounding<TypeParam>, std::string(about.text));
  }
}

TYPED_TEST(Scalars, KeepTheSignOfZero) {
  const std::vector<TypeParam> x{TypeParam(0), -TypeParam(0)};
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Elementwise) continue;
    std::vector<TypeParam> y(2);
    map_entries<TypeParam>(about.id, TypeParam(0.25), x, y);
    std::vector<double> expected(2);
    evaluate(prelude_spec(about.id, 0.25), {}, Shape::column(2), in_double(x), expected);
    for (const int i : {0, 1}) {
      EXPECT_EQ(std::signbit(y[i]), std::signbit(expected[i])) << about.text << " of " << x[i];
    }
  }
}

// The gradient of the reference from the same x and y: each empty where it is not read.
template <class T>
std::vector<double> reference_gradient(const TransformationSpec& spec, const std::vector<T>& x,
                                       const std::vector<T>& y, const std::vector<T>& g) {
  std::vector<double> gradient(x.size());
  const auto read = [](bool is_read, const std::vector<T>& v) {
    return is_read ? in_double(v) : std::vector<double>();
  };
  const Shape shape = Shape::column(static_cast<std::uint32_t>(x.size()));
  differentiate(spec, {}, shape, read(derivative_reads_argument(spec), x),
                read(derivative_reads_result(spec), y), in_double(g), gradient);
  return gradient;
}

TYPED_TEST(Scalars, DerivativesAgreeWithTheReference) {
  const std::vector<TypeParam> x = arguments<TypeParam>();
  std::vector<TypeParam> g(x.size(), 1);
  for (std::size_t i = 0; i < g.size(); i += 3) g[i] = 0;
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Elementwise) continue;
    for (const double slope : {0.25, -0.25}) {
      const TransformationSpec spec = prelude_spec(about.id, slope);
      std::vector<TypeParam> y(x.size());
      map_entries<TypeParam>(about.id, TypeParam(slope), x, y);
      // What is not read may be any number.
      const std::vector<TypeParam> nothing(x.size(), 0);
      std::vector<TypeParam> found(x.size());
      pull_entries<TypeParam>(about.id, TypeParam(slope),
                              derivative_reads_argument(spec) ? x : nothing,
                              derivative_reads_result(spec) ? y : nothing, g, found);
      expect_close(found, reference_gradient(spec, x, y, g), 5 * kRounding<TypeParam>,
                   "derivative of " + std::string(about.text));
    }
  }
}

TYPED_TEST(Scalars, ZeroGradientsPassNothingOn) {
  const std::vector<TypeParam> x{0, 0, 0, 0};
  const std::vector<TypeParam> g{TypeParam(0), -TypeParam(0), TypeParam(2), TypeParam(-2)};
  std::vector<TypeParam> found(4);
  pull_entries<TypeParam>(Transformation::Log, TypeParam(0), x, x, g, found);
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  EXPECT_THAT(found, testing::ElementsAre(0, 0, infinity, -infinity));
}

// NaN's own bits do not count: compilers may exchange factors.
template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (std::isnan(a) && std::isnan(b));
}

TYPED_TEST(Scalars, HaveTheSameBitsAloneAndInAnyArray) {
  const std::vector<TypeParam> x = arguments<TypeParam>();
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Elementwise) continue;
    const auto map = [&](std::size_t first, std::size_t count) {
      std::vector<TypeParam> y(count);
      map_entries<TypeParam>(about.id, TypeParam(0.25), std::span(x).subspan(first, count), y);
      return y;
    };
    const std::vector<TypeParam> whole = map(0, x.size());
    for (std::size_t first = 0; first + 70 < x.size(); first += first < 40 ? 1 : 61) {
      const std::size_t count = 1 + first % 67;
      const std::vector<TypeParam> part = map(first, count);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), &whole[first], same_bits<TypeParam>))
          << about.text << ", " << count << " entries from " << first;
      ASSERT_TRUE(same_bits(map(first, 1)[0], whole[first])) << about.text << " of " << x[first];
    }
  }
}

// The printers call f_ and d_ with the table's names.
TEST(PreludeText, HasEveryElementwiseFunctionAndDerivative) {
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Elementwise) continue;
    for (const std::string prefix : {" f_", " d_"}) {
      const std::string name = prefix + std::string(about.text) + "(";
      EXPECT_NE(kernel_prelude().find(name), std::string_view::npos) << name;
    }
  }
}

TEST(PreludeText, IncludesNothing) {
  EXPECT_EQ(kernel_prelude().find("#include"), std::string_view::npos);
}

}  // namespace
}  // namespace vecc::test
