// What was measured on a device and is kept: its cost coefficients, and tuned choices.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vecc/cost.h"
#include "vecc/error.h"
#include "vecc/optimize.h"

namespace vecc::tools {

/// The coefficients that `vecc-bench calibrate` left for a backend on a device ("torch", "cuda:0
/// NVIDIA H200"); none if there are none, or with a warning if the file cannot be used.
[[nodiscard]] std::optional<CostCoefficients> load_coefficients(std::string_view backend,
                                                                std::string_view device);
/// Errors: CannotWrite. Returns the file's path.
[[nodiscard]] Result<std::string> save_coefficients(std::string_view backend,
                                                    std::string_view device,
                                                    const CostCoefficients& coefficients);

/// A choice of -O3 for a Program, a backend and a device.
struct TunedChoice {
  std::string gather_preset;
  PadMode pad_mode = PadMode::Never;
};
/// `program`: the fingerprint before optimization.
[[nodiscard]] std::optional<TunedChoice> load_tuned(const Fingerprint& program,
                                                    std::string_view backend,
                                                    std::string_view device);
/// Errors: CannotWrite.
[[nodiscard]] Result<void> save_tuned(const Fingerprint& program, std::string_view backend,
                                      std::string_view device, const TunedChoice& choice);

}  // namespace vecc::tools
