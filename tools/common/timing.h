// Statistics of repeated runs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace vecc::tools {

/// Seconds of `runs` runs. Median: the mean of the two middle ones where their number is even;
/// p90: the smallest time that 90 % of the runs do not exceed.
struct Timing {
  std::uint64_t runs = 0;
  double first = 0;
  double median = 0;
  double min = 0;
  double p90 = 0;
};
/// At least one run.
[[nodiscard]] Timing summarize_timing(std::span<const double> seconds);

/// A two-line table.
[[nodiscard]] std::string text_of(const Timing& timing);
[[nodiscard]] nlohmann::ordered_json json_of(const Timing& timing);

}  // namespace vecc::tools
