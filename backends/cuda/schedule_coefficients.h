// What levels, launches, barriers and work take on a GPU: by these the cuda backend chooses how a
// Plan's kernels are started.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecc/error.h"

namespace vecc::cuda {

/// Microseconds, predict_times.h says of what. Those that stand here are an H200's, fitted by hand
/// to eight small programs (MUTAG, ENZYMES, PROTEINS, mutagenesis), forward and with gradients,
/// most within a fifth; `vecc-bench calibrate --backend=cuda --device=cuda` fits those of a device.
struct ScheduleCoefficients {
  /// A CUDA graph: what a stage begins with, a level, a further node in it, a unit of work.
  struct Graph {
    double begin = 3.0;
    double level = 1.5;
    double node = 0.3;
    double work = 1e-6;
    bool operator==(const Graph&) const = default;
  };
  /// A grid: what a stage begins with, a level (its barrier and what its blocks fetch before they
  /// compute), a unit of work.
  struct Grid {
    double begin = 5.0;
    double level = 2.7;
    double work = 6e-6;
    bool operator==(const Grid&) const = default;
  };
  /// Parts: what a stage begins with, the barrier between two phases, a block's level, a further
  /// step in it, a unit of the block's own work.
  struct Parts {
    double begin = 8.0;
    double barrier = 8.0;
    double level = 0.5;
    double step = 0.25;
    double work = 1.5e-4;
    bool operator==(const Parts&) const = default;
  };
  Graph graph;
  Grid grid;
  Parts parts;
  bool operator==(const ScheduleCoefficients&) const = default;
};

/// By name, as files and reports have them: "graph_begin", ...
[[nodiscard]] std::vector<std::pair<std::string, double>> coefficient_values(
    const ScheduleCoefficients& coefficients);

/// Those of a device, and where they are from.
struct DeviceCoefficients {
  ScheduleCoefficients coefficients;
  bool is_calibrated = false;  ///< of vecc-bench calibrate
};

/// What vecc-bench calibrate left in the cache folder for a device ("cuda:0 NVIDIA H200"); else,
/// with a warning if there is a file that cannot be used, those of an H200.
[[nodiscard]] DeviceCoefficients load_schedule_coefficients(std::string_view device);
/// The same, looked up once a process.
[[nodiscard]] const DeviceCoefficients& schedule_coefficients_of(const std::string& device);
/// Returns the file's path. Error: CannotWrite.
[[nodiscard]] Result<std::string> save_schedule_coefficients(
    std::string_view device, const ScheduleCoefficients& coefficients);

}  // namespace vecc::cuda
