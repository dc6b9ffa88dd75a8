#include "tests/support/elementwise_cases.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace vecc::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double naive_entry(const TransformationSpec& spec, double x) {
  switch (spec.id) {
    case Transformation::Identity: return x;
    case Transformation::Sigmoid: return x > 100 ? 1 : x < -100 ? 0 : 1 / (1 + std::exp(-x));
    case Transformation::Tanh: return std::tanh(x);
    case Transformation::Signum: return x > 0 ? 1 : 0;
    case Transformation::Relu: return x > 0 ? x : 0;
    case Transformation::LeakyRelu: return x > 0 ? x : spec.slope * x;
    case Transformation::Lukasiewicz: return 1 / (1 + std::exp(-6 * x - 0.5));
    case Transformation::Exp: return std::exp(x);
    case Transformation::Log: return std::log(x);
    case Transformation::Sqrt: return std::sqrt(x);
    case Transformation::Inverse: return 1 / x;
    case Transformation::Reverse: return 1 - x;
    case Transformation::Gelu: return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
    case Transformation::Abs: return std::abs(x);
    case Transformation::Square: return x * x;
    case Transformation::Silu: return x * (1 / (1 + std::exp(-x)));
    case Transformation::Softplus: return x > 40 ? x : std::log1p(std::exp(x));
#include "vecc/other_cases.def"
      break;  // naive_transform has them
  }
  return x;
}

std::vector<ElementwiseCase> elementwise_cases() {
  using enum Transformation;
  const double ln2 = std::numbers::ln2, ln3 = std::log(3.0);
  return {
      {Sigmoid, ln3, 0.75, 0.1875},
      {Sigmoid, -kInf, 0, 0},
      {Tanh, ln2, 0.6, 0.64},
      {Exp, kNan, kNan, kNan},
      // s = 1/2, 3/4, 1/4: x s, and s + x s (1 - s).
      {Silu, 0, 0, 0.5},
      {Silu, ln3, 0.75 * ln3, 0.75 + 0.1875 * ln3},
      {Silu, -ln3, -0.25 * ln3, 0.25 - 0.1875 * ln3},
      {Silu, -1000, 0, 0},
      {Silu, kInf, kInf, 1},
      {Silu, -kInf, kNan, 0},
      // ln(1 + e^x), and the sigmoid.
      {Softplus, 0, ln2, 0.5},
      {Softplus, ln3, 2 * ln2, 0.75},
      {Softplus, -ln3, std::log(4.0 / 3), 0.25},
      {Softplus, 1000, 1000, 1},
      {Softplus, kInf, kInf, 1},
      {Softplus, -kInf, 0, 0},
      {Softplus, kNan, kNan, kNan},
  };
}

}  // namespace vecc::test
