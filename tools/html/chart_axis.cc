#include "chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vecc::tools {
namespace {

constexpr double kMostTicks = 6;
constexpr double kLogarithmicFrom = 100;  // the highest divided by the lowest
constexpr double kLeastLogarithmic = 1e-300;

// 1, 2 or 5 times a power of ten: at most kMostTicks of it in `length`, or one more.
double tick_step(double length) {
  const double least = length / kMostTicks;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

// Multiples of `step` from the `first`-th to the `last`-th.
std::vector<double> multiples(double step, double first, double last) {
  std::vector<double> ticks;
  for (double k = first; k <= last; ++k) ticks.push_back(k * step);
  return ticks;
}

ChartAxis logarithmic_axis(double low, double high) {
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  const double step = std::ceil((last - first) / kMostTicks);
  ChartAxis axis{true, std::pow(10, first), std::pow(10, last), {}};
  for (double power = first; power <= last; power += step) {
    axis.ticks.push_back(std::pow(10, power));
  }
  return axis;
}

}  // namespace

double ChartAxis::place_of(double number) const {
  if (!logarithmic) return (number - low) / (high - low);
  return std::log(number / low) / std::log(high / low);
}

ChartAxis epoch_axis(double low, double high) {
  if (low == high) {
    return {false, low - 1, high + 1, {low}};
  }
  const double step = std::max(1.0, tick_step(high - low));
  return {false, low, high, multiples(step, std::ceil(low / step), std::floor(high / step))};
}

ChartAxis value_axis(double low, double high) {
  if (low > kLeastLogarithmic && high >= kLogarithmicFrom * low) return logarithmic_axis(low, high);
  if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high))) {  // a level line
    const double margin = low == 0 ? 1 : 0.1 * std::abs(low);
    low -= margin;
    high += margin;
  }
  const double step = tick_step(high - low);
  const double first = std::floor(low / step), last = std::ceil(high / step);
  return {false, first * step, last * step, multiples(step, first, last)};
}

std::string text_of_tick(double number) {
  return fmt::format("{:.6g}", number == 0 ? 0 : number);  // no -0
}

}  // namespace vecc::tools
