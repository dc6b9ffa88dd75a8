// An axis of a chart: where numbers are, and which are written at it.
#pragma once

#include <string>
#include <vector>

namespace vecc::tools {

struct ChartAxis {
  bool logarithmic = false;
  double low = 0;  ///< the ends, as numbers
  double high = 1;
  std::vector<double> ticks;  ///< rising, within the ends

  /// 0 at the lower end, 1 at the higher.
  [[nodiscard]] double place_of(double number) const;
};

/// From `low` to `high`, ticks at multiples of 1, 2 or 5 times a power of ten that is at least 1.
[[nodiscard]] ChartAxis epoch_axis(double low, double high);
/// As far as the tick below `low` and the one above `high`. Logarithmic, ticks at powers of ten, if
/// all is above 0 and the ends are far apart.
[[nodiscard]] ChartAxis value_axis(double low, double high);

/// 0.05, 1e-12
[[nodiscard]] std::string text_of_tick(double number);

}  // namespace vecc::tools
