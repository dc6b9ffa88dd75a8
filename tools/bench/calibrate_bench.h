// vecc-bench calibrate: the cost model's coefficients of a backend on a device.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "time_program.h"
#include "vecc/cost.h"

namespace vecc::tools {

struct CalibrateOptions {
  TimeOptions time;
  std::uint32_t most_rows = 1u << 20;  ///< of the largest program
  bool save = true;                    ///< to the user's cache folder
};

/// A program that was measured, its counted work and what the model then says.
struct CalibrationRow {
  std::string name;
  MeasuredWork run;
  double predicted_seconds = 0;
};
struct Calibration {
  std::string backend;
  std::string device;
  CostCoefficients coefficients;
  std::vector<CalibrationRow> rows;
  std::string saved_as;  ///< a path, or empty
};

/// Runs chains of tiny ops, and gathers, sums, products and functions of rising size; fits the
/// coefficients to their median times. Errors: those of the backend; CannotWrite.
[[nodiscard]] Result<Calibration> calibrate(const CalibrateOptions& options);

[[nodiscard]] std::string table_of(const Calibration& calibration);
[[nodiscard]] nlohmann::ordered_json json_of(const Calibration& calibration);

}  // namespace vecc::tools
