// A derivative worked out by hand for every transformation of functions.def, kinks included.
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/function/derivative_case.h"
#include "tests/support/elementwise_cases.h"

namespace vecc::test {
namespace {

struct DerivativeCase {
  TransformationSpec spec;
  std::vector<std::uint32_t> words;
  Value x;
  Gradient g;   // at the result
  Gradient gx;  // at x
};

std::vector<DerivativeCase> elementwise_derivative_cases() {
  using enum Transformation;
  return {
      {spec_of(Identity), {}, row({-1, 2}), {3, 4}, {3, 4}},
      // s (1 - s)
      {spec_of(Sigmoid), {}, column({0, kLn3, -kLn3}), {1, 1, 2}, {0.25, 0.1875, 0.375}},
      // Clamped beyond +-100.
      {spec_of(Sigmoid), {}, column({100.5, -100.5}), {1, 1}, {0, 0}},
      // 1 - t^2
      {spec_of(Tanh), {}, column({0, kLn2, -kLn2}), {1, 1, 10}, {1, 0.64, 6.4}},
      {spec_of(Tanh), {}, column({101, -101}), {1, 1}, {0, 0}},
      {spec_of(Signum), {}, row({-2, 0, 3}), {1, 1, 1}, {0, 0, 0}},
      {spec_of(Relu), {}, matrix(2, 2, {-1, 2, 0, -0.0}), {5, 6, 7, 8}, {0, 6, 0, 0}},
      {spec_of(LeakyRelu), {}, column({-2, 3, 0}), {1, 1, 1}, {0.01, 1, 0.01}},
      {leaky(0.2), {}, column({-2, 3, 0}), {1, 1, 1}, {0.2, 1, 0.2}},
      // 6 s (1 - s): NeuraLogic lacks the 6.
      {spec_of(Lukasiewicz), {}, column({-1.0 / 12, (kLn3 - 0.5) / 6}), {1, 1}, {1.5, 1.125}},
      {spec_of(Exp), {}, column({0, 1, kLn2}), {1, 1, 3}, {1, kE, 6}},
      {spec_of(Log), {}, column({1, 2, 0.5}), {1, 1, 1}, {1, 0.5, 2}},
      {spec_of(Log), {}, scalar(0), {1}, {kInf}},
      {spec_of(Sqrt), {}, row({4, 0.25}), {1, 1}, {0.25, 1}},
      {spec_of(Sqrt), {}, scalar(-1), {1}, {kNan}},
      // Infinite at 0, but what has no gradient passes none on.
      {spec_of(Sqrt), {}, row({0, 0}), {1, 0}, {kInf, 0}},
      {spec_of(Inverse), {}, row({2, -4}), {1, 16}, {-0.25, -1}},
      {spec_of(Reverse), {}, matrix(2, 2, {0, 1, 3, -1}), {1, 2, 3, 4}, {-1, -2, -3, -4}},
      // Phi(1) + phi(1) and Phi(-1) - phi(1)
      {spec_of(Gelu),
       {},
       row({0, 1, -1}),
       {1, 1, 1},
       {0.5, 0.8413447460685429 + 0.24197072451914337, 0.15865525393145707 - 0.24197072451914337}},
      {spec_of(Gelu), {}, row({kInf, -kInf}), {1, 1}, {1, 0}},
      {spec_of(Abs), {}, row({-3, 0, 2}), {1, 1, 1}, {-1, 0, 1}},
      {spec_of(Square), {}, row({-3, 0.5}), {1, 2}, {-6, 2}},
  };
}

std::vector<DerivativeCase> shaped_derivative_cases() {
  using enum Transformation;
  const Value m = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  const double d = std::sqrt(1 + 1e-10);  // the deviation of {-1, 1} and of {-1, -1, 1, 1}
  const double y = 1 / d;
  return {
      {spec_of(Transp), {}, m, {1, 4, 2, 5, 3, 6}, {1, 2, 3, 4, 5, 6}},
      {spec_of(Transp), {}, scalar(7), {3}, {3}},
      // (g - mean g - y mean(g y)) / d with g = (1, 0): mean g = 1/2, mean(g y) = -y/2.
      {spec_of(Norm), {}, column({-1, 1}), {1, 0}, {(0.5 - y * y / 2) / d, (-0.5 + y * y / 2) / d}},
      {spec_of(Norm),
       {},
       matrix(2, 2, {-1, -1, 1, 1}),
       {1, 0, 0, 0},
       {(0.75 - y * y / 4) / d, (-0.25 - y * y / 4) / d, (-0.25 + y * y / 4) / d,
        (-0.25 + y * y / 4) / d}},
      // Without variance, the 1e-10 alone is the deviation.
      {spec_of(Norm), {}, column({5, 5}), {1, 0}, {0.5e5, -0.5e5}},
      // y (g - y . g) with y = (1/4, 3/4)
      {spec_of(Softmax), {}, column({0, kLn3}), {4, 0}, {0.75, -0.75}},
      {spec_of(Softmax), {}, row({1000, 1000 + kLn3}), {4, 0}, {0.75, -0.75}},
      // g - mean g on the support {0.9, 0.5}.
      {spec_of(Sparsemax), {}, row({0.5, 0.9, -1}), {1, 4, 9}, {-1.5, 1.5, 0}},
      {spec_of(Sparsemax), {}, column({5, 1}), {3, 4}, {0, 0}},
      // The second one is where the support ends: its value is 0, so it is outside.
      {spec_of(Sparsemax), {}, column({1, 0}), {3, 5}, {0, 0}},
      {spec_of(Sparsemax), {}, column({1, kNan}), {1, 1}, {kNan, kNan}},
      // g - softmax(x) * (sum of g) with the softmax (1/4, 3/4)
      {spec_of(LogSoftmax), {}, column({0, kLn3}), {4, 0}, {3, -3}},
      {spec_of(LogSoftmax), {}, row({1000, -1000}), {2, 1}, {-1, 1}},
      {spec_of(Slice), {1, 3, 0, kToEnd}, column({1, 2, 3, 4}), {8, 9}, {0, 8, 9, 0}},
      {spec_of(Slice), {0, 2, 1, kToEnd}, m, {6, 7, 8, 9}, {0, 6, 7, 0, 8, 9}},
      {spec_of(Reshape, Shape(3, 2)), {}, m, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}},
      {spec_of(Reshape), {}, column({3}), {2}, {2}},
      {spec_of(AtIndex), {2}, column({7, 8, 9}), {5}, {0, 0, 5}},
      {spec_of(AtIndex), {4}, m, {5}, {0, 0, 0, 0, 5, 0}},
      {spec_of(Broadcast, Shape(2, 2)), {}, scalar(3), {1, 2, 3, 4}, {10}},
      {spec_of(Broadcast, Shape(1, 2)), {}, row({3, 4}), {1, 2}, {1, 2}},
  };
}

std::vector<DerivativeCase> all_derivative_cases() {
  std::vector<DerivativeCase> cases = elementwise_derivative_cases();
  for (DerivativeCase& c : shaped_derivative_cases()) cases.push_back(std::move(c));
  for (const ElementwiseCase& c : elementwise_cases()) {
    cases.push_back({spec_of(c.function), {}, scalar(c.x), {1}, {c.slope}});
  }
  return cases;
}

TEST(TransformationDerivatives, ByHand) {
  for (const DerivativeCase& c : all_derivative_cases()) {
    expect_gradient(gradient_of(c.spec, c.words, c.x, c.g), c.gx,
                    text_of(c.spec) + " of " + c.x.shape.text());
  }
}

TEST(TransformationDerivatives, EveryOneHasACase) {
  const auto cases = all_derivative_cases();
  for (const TransformationInfo& about : transformations()) {
    const auto is_of = [&](const DerivativeCase& c) { return c.spec.id == about.id; };
    EXPECT_TRUE(std::ranges::any_of(cases, is_of)) << about.text << " has no case";
  }
}

TEST(TransformationDerivatives, AreAddedToWhatIsThere) {
  for (const DerivativeCase& c : all_derivative_cases()) {
    const Value y = apply(c.spec, c.words, c.x).value();
    Gradient gx(c.x.values.size(), 0.5);
    differentiate(c.spec, c.words, c.x.shape, c.x.values, y.values, c.g, gx);
    Gradient expected = c.gx;
    for (double& v : expected) v += 0.5;
    expect_gradient(gx, expected, text_of(c.spec));
  }
}

double slope_at(Transformation id, double x) {
  return gradient_of(spec_of(id), {}, scalar(x), {1})[0];
}

// Where 1 - s and 1 - t^2 have no digits left, the derivatives still have all of theirs.
TEST(TransformationDerivatives, SaturatedSigmoidsKeepTheirDigits) {
  for (const double x : {-100.0, -40.0, 40.0, 100.0}) {
    const double decay = std::exp(-std::abs(x));
    EXPECT_NEAR(slope_at(Transformation::Sigmoid, x) / decay, 1, 1e-12) << x;
    EXPECT_NEAR(slope_at(Transformation::Tanh, x) / (decay * decay), 4, 1e-12) << x;
  }
}

TEST(TransformationDerivatives, SigmoidsBeyondTheClampHaveExactlyNone) {
  for (const double x : {-kInf, -100.001, 100.001, kInf}) {
    EXPECT_EQ(slope_at(Transformation::Sigmoid, x), 0) << x;
    EXPECT_EQ(slope_at(Transformation::Tanh, x), 0) << x;
  }
}

}  // namespace
}  // namespace vecc::test
