// The cost model's coefficients of the device that a backend will run on.
#pragma once

#include <string>

#include "vecc/backend.h"
#include "vecc/cost.h"

namespace vecc::tools {

struct DeviceCost {
  std::string device;  ///< its full name ("cpu", "cuda:0 NVIDIA H200")
  CostCoefficients coefficients;
};
/// Those that `vecc-bench calibrate` left for the device; else those of any GPU or any CPU. Runs a
/// Program of one number to learn the device's name. Errors: those of Backend::compile().
[[nodiscard]] Result<DeviceCost> find_device_cost(const Backend& backend,
                                                  const ExecutionOptions& execution);

}  // namespace vecc::tools
