// Times of one thing that ran again and again, the warm-up kept.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/common/timing.h"

namespace vecc::tools {

struct TimedRuns {
  std::uint32_t warmup = 0;     ///< of the runs at the front
  std::vector<double> seconds;  ///< every run, in order

  /// Of the runs after the warm-up; at least one.
  [[nodiscard]] Timing steady() const;
};
/// {"warmup": 10, "median": 0.1, ..., "seconds": [...]}
[[nodiscard]] nlohmann::ordered_json json_of(const TimedRuns& series);

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A panel of the chart: one column a way to run, every run a dot.
struct ChartColumn {
  std::string name;
  TimedRuns series;
  bool peer = false;  ///< not vecc's
};
struct ChartPanel {
  std::string title;
  std::vector<ChartColumn> columns;
};
/// A self-contained SVG: time on a logarithmic axis, runs of the warm-up hollow, steady ones
/// filled, the median a bar with its number. Names are escaped.
[[nodiscard]] std::string draw_svg(const std::vector<ChartPanel>& panels);

}  // namespace vecc::tools
