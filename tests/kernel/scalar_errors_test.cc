// The largest errors of the prelude's scalar functions, in units in the last place of the exact
// value, over arguments of all magnitudes.
#include <bit>

#include "tests/kernel/prelude_case.h"

namespace vecc::test {
namespace {

using enum Transformation;

// |found - exact| in units of T's last place at `exact`, subnormal ones included.
template <class T>
double error_in_units(T found, long double exact) {
  if (std::isnan(exact) || std::isnan(found)) {
    return std::isnan(exact) && std::isnan(found) ? 0 : HUGE_VAL;
  }
  if (found == static_cast<T>(exact)) return std::isinf(found) ? 0 : 0.5;
  using Limits = std::numeric_limits<T>;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int unit = std::max(exponent, Limits::min_exponent) - Limits::digits;
  return static_cast<double>(std::abs(std::ldexp(static_cast<long double>(found) - exact, -unit)));
}

// 1 / (1 + e^-z) without cancellation
template <class Wide>
Wide exact_logistic(Wide z) {
  return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
}

// Exact for tests: Wide has many more digits than what is tested.
template <class Wide>
Wide exact(Transformation t, Wide x) {
  switch (static_cast<int>(t)) {
    case static_cast<int>(Exp): return std::exp(x);
    case static_cast<int>(Log): return std::log(x);
    case static_cast<int>(Tanh): return std::tanh(x);
    case static_cast<int>(Sigmoid): return x < -100 ? 0 : exact_logistic(x);
    case static_cast<int>(Lukasiewicz): return exact_logistic(6 * x + Wide(0.5));
    case static_cast<int>(Gelu):
      return x * (x > 0 ? 1 - std::erfc(x * std::sqrt(Wide(0.5))) / 2
                        : std::erfc(-x * std::sqrt(Wide(0.5))) / 2);
    case static_cast<int>(Sqrt): return std::sqrt(x);
    default: return 1 / x;
  }
}

struct Worst {
  double error = 0;
  double at = 0;
};

template <class Wide, class T>
void find_worst(Transformation t, const std::vector<T>& x, Worst& worst) {
  std::vector<T> y(x.size());
  map_entries<T>(t, 0, x, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = error_in_units<T>(y[i], exact<Wide>(t, x[i]));
    if (error > worst.error) worst = {error, x[i]};
  }
}

struct Bound {
  Transformation function;
  double units;
};

std::string name_of(const testing::TestParamInfo<Bound>& of) {
  return std::string(info(of.param.function).text);
}

class FloatError : public testing::TestWithParam<Bound> {};

// Every 509th of all floats: NaN, infinities, subnormal ones, both signs. (With fused multiply-add,
// gelu's error is 3.7.)
TEST_P(FloatError, IsBoundedEverywhere) {
  Worst worst;
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 509) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (x.size() < 4096 && bits + 509 <= 0xffffffffu) continue;
    find_worst<double>(GetParam().function, x, worst);
    x.clear();
  }
  EXPECT_LE(worst.error, GetParam().units) << "at " << worst.at;
}
INSTANTIATE_TEST_SUITE_P(Prelude, FloatError,
                         testing::Values(Bound{Exp, 1}, Bound{Log, 0.85}, Bound{Sigmoid, 2.4},
                                         Bound{Tanh, 2.6}, Bound{Lukasiewicz, 2.4},
                                         Bound{Gelu, 4.8}, Bound{Sqrt, 0.501},
                                         Bound{Inverse, 0.501}),
                         name_of);

class DoubleError : public testing::TestWithParam<Bound> {};

// Random bits, and numbers where the functions have their digits.
TEST_P(DoubleError, IsBounded) {
  Worst worst;
  std::mt19937_64 random(1);
  for (const double range : {0.0, 1.0, 20.0, 100.0, 700.0}) {
    for (int k = 0; k < 40; ++k) {
      std::vector<double> x = random_values<double>(random, 4096, range);
      if (range == 0) {
        for (double& v : x) v = std::bit_cast<double>(random());
      }
      find_worst<long double>(GetParam().function, x, worst);
    }
  }
  EXPECT_LE(worst.error, GetParam().units) << "at " << worst.at;
}
// (In double, lukasiewicz overflows in the reference before the exact value is 0.)
INSTANTIATE_TEST_SUITE_P(Prelude, DoubleError,
                         testing::Values(Bound{Exp, 1.05}, Bound{Log, 0.9}, Bound{Sigmoid, 2.6},
                                         Bound{Tanh, 2.7}, Bound{Lukasiewicz, 2.6},
                                         Bound{Sqrt, 0.501}, Bound{Inverse, 0.501}),
                         name_of);

}  // namespace
}  // namespace vecc::test
