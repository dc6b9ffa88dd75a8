#include "tools/common/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/support/quantity_text.h"
#include "vecc/error.h"

namespace vecc::tools {

Timing summarize_timing(std::span<const double> seconds) {
  VECC_CHECK(!seconds.empty(), "timing of no run");
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  Timing result;
  result.runs = n;
  result.first = seconds.front();
  result.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  result.min = sorted.front();
  result.p90 = sorted[(n * 9 + 9) / 10 - 1];
  return result;
}

std::string text_of(const Timing& timing) {
  return fmt::format("{:>9} {:>11} {:>11} {:>11} {:>11}\n{:>9} {:>11} {:>11} {:>11} {:>11}\n",
                     "runs", "median", "min", "p90", "first", text_of_count(timing.runs),
                     text_of_seconds(timing.median), text_of_seconds(timing.min),
                     text_of_seconds(timing.p90), text_of_seconds(timing.first));
}

nlohmann::ordered_json json_of(const Timing& timing) {
  return {{"runs", timing.runs},
          {"median", timing.median},
          {"min", timing.min},
          {"p90", timing.p90},
          {"first", timing.first}};
}

}  // namespace vecc::tools
