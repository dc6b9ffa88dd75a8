#include "tools/ground/special_functions.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vecc::tools::ground {
namespace {

using Arguments = std::span<const std::int64_t>;

std::optional<double> number_of(const ConstantTable& constants, std::int64_t constant) {
  return constants.number(static_cast<Constant>(constant));
}

// By value where both constants are numbers, else by text.
std::int64_t compare(const ConstantTable& constants, Arguments a) {
  const std::optional<double> x = number_of(constants, a[0]);
  const std::optional<double> y = number_of(constants, a[1]);
  if (x && y) return *x < *y ? -1 : (*x > *y ? 1 : 0);
  return constants.text(static_cast<Constant>(a[0]))
      .compare(constants.text(static_cast<Constant>(a[1])));
}

// Both are numbers, and y is x + 1.
std::int64_t follows(const ConstantTable& constants, Arguments a) {
  const std::optional<double> x = number_of(constants, a[0]);
  const std::optional<double> y = number_of(constants, a[1]);
  return x && y && *x + 1 == *y ? 1 : 0;
}

// All are numbers, and z is what `compute` makes of x and y.
template <class Compute>
std::int64_t computes(const ConstantTable& constants, Arguments a, const Compute& compute) {
  const std::optional<double> x = number_of(constants, a[0]);
  const std::optional<double> y = number_of(constants, a[1]);
  const std::optional<double> z = number_of(constants, a[2]);
  return x && y && z && compute(*x, *y) == *z ? 1 : 0;
}
std::int64_t is_sum(const ConstantTable& constants, Arguments a) {
  return computes(constants, a, [](double x, double y) { return x + y; });
}
std::int64_t is_difference(const ConstantTable& constants, Arguments a) {
  return computes(constants, a, [](double x, double y) { return x - y; });
}
std::int64_t is_remainder(const ConstantTable& constants, Arguments a) {
  return computes(constants, a, [](double x, double y) { return std::fmod(x, y); });
}

// The first is a number, and no more of the others are different.
std::int64_t max_card(const ConstantTable& constants, Arguments a) {
  const std::optional<double> most = number_of(constants, a[0]);
  int different = 0;
  for (std::size_t i = 1; i < a.size(); ++i) {
    const Arguments before = a.subspan(1, i - 1);
    different += std::ranges::find(before, a[i]) == before.end() ? 1 : 0;
  }
  return most && different <= *most ? 1 : 0;
}

std::int64_t has_type(const ConstantTable& constants, Arguments a) {
  return constants.type(static_cast<Constant>(a[0])) == a[1] ? 1 : 0;
}

constexpr std::array kFunctions{
    SpecialFunction{"compare", 2, compare},
    SpecialFunction{"follows", 2, follows},
    SpecialFunction{"is_sum", 3, is_sum},
    SpecialFunction{"is_difference", 3, is_difference},
    SpecialFunction{"is_remainder", 3, is_remainder},
    SpecialFunction{"max_card", kAnyNumber, max_card},
    SpecialFunction{"has_type", 2, has_type},
};

}  // namespace

std::span<const SpecialFunction> special_functions() {
  return kFunctions;
}

}  // namespace vecc::tools::ground
