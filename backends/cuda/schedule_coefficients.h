// What levels, launches, barriers and work take on a GPU: by these the cuda backend chooses how a
// Plan's kernels are started.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecc/error.h"
#include "vecc/target.h"

namespace vecc::cuda {

/// A Target's, or what `vecc-bench calibrate --backend=cuda --device=cuda` measured on the device.
using ScheduleCoefficients = ScheduleTimes;

/// By name, as files and reports have them: "graph_begin", ...
[[nodiscard]] std::vector<std::pair<std::string, double>> coefficient_values(
    const ScheduleCoefficients& coefficients);

/// Those of a device, and where they are from.
struct DeviceCoefficients {
  ScheduleCoefficients coefficients;
  bool is_calibrated = false;  ///< of vecc-bench calibrate
};

/// What vecc-bench calibrate left in the cache folder for a device ("cuda:0 NVIDIA H200"); else,
/// with a warning if there is a file that cannot be used, `target`'s.
[[nodiscard]] DeviceCoefficients load_schedule_coefficients(std::string_view device,
                                                            const Target& target);
/// The same, looked up once a process.
[[nodiscard]] const DeviceCoefficients& schedule_coefficients_of(const std::string& device,
                                                                 const Target& target);
/// Returns the file's path. Error: CannotWrite.
[[nodiscard]] Result<std::string> save_schedule_coefficients(
    std::string_view device, const ScheduleCoefficients& coefficients);

}  // namespace vecc::cuda
