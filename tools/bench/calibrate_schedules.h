// What the cuda backend chooses by how it starts kernels: its coefficients on a GPU.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/cuda/predict_times.h"
#include "time_program.h"

namespace vecc::tools {

struct ScheduleCalibration {
  /// A Program that was started in one way.
  struct Row {
    CudaLaunch launch = CudaLaunch::Graph;
    std::string program;
    cuda::ScheduleCounts counts;
    double seconds = 0;
    double predicted_seconds = 0;
  };
  std::string device;
  cuda::ScheduleCoefficients coefficients;
  std::vector<Row> rows;
  std::string saved_as;  ///< a path, or empty
};

/// Runs schedule_shapes() as a graph, in a grid and in parts, and fits the coefficients to their
/// median times, each from the host's call until the GPU is done. `save`: to the user's cache
/// folder. Errors: those of the backend, DeviceFailure (interrupted), CannotWrite.
[[nodiscard]] Result<ScheduleCalibration> calibrate_schedules(const TimeOptions& time,
                                                              std::uint32_t most_rows, bool save);

[[nodiscard]] std::string table_of(const ScheduleCalibration& calibration);
[[nodiscard]] nlohmann::ordered_json json_of(const ScheduleCalibration& calibration);

}  // namespace vecc::tools
