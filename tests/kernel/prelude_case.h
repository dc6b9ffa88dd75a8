// Numbers for the tests of the kernel prelude, and how far from the reference they may be.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "src/function/differentiate.h"
#include "tests/kernel/prelude_maps.h"

namespace vecc::test {

inline TransformationSpec prelude_spec(Transformation id, double slope = 0.01) {
  TransformationSpec spec;
  spec.id = id;
  spec.slope = slope;
  return spec;
}

/// What the errors of T are measured in.
template <class T>
inline constexpr double kRounding = std::numeric_limits<T>::epsilon();

template <class T>
std::vector<double> in_double(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

template <class T>
std::vector<T> random_values(std::mt19937_64& random, std::size_t count, double range = 3) {
  std::uniform_real_distribution<double> uniform(-range, range);
  std::vector<T> values(count);
  for (T& v : values) v = static_cast<T>(uniform(random));
  return values;
}

/// |a - b| <= tolerance * max(1, |b|); NaN and infinity in the same places.
template <class T>
void expect_close(const std::vector<T>& found, const std::vector<double>& expected,
                  double tolerance, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double f = found[i];
    const double e = static_cast<T>(expected[i]);
    const bool same = f == e || (std::isnan(f) && std::isnan(e));
    if (same) continue;
    EXPECT_LE(std::abs(f - e), tolerance * std::max(1.0, std::abs(e)))
        << what << ", entry " << i << " of " << found.size() << ": " << f << " instead of " << e;
  }
}

}  // namespace vecc::test
