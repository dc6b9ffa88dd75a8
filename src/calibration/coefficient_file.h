// Coefficients that `vecc-bench calibrate` fitted for a device, kept in the user's cache folder.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "src/calibration/device_file.h"
#include "vecc/error.h"

namespace vecc {

/// The folder of the cache folder that has them.
inline constexpr std::string_view kCoefficientFolder = "cost";

/// A coefficient by its name in the file. Below 0, or above `most`, it cannot be one.
struct NamedCoefficient {
  const char* name;
  double* value;
  double most;
};

/// Whether there is a file; all of `to` are then its numbers. Errors: those of read_device_file(),
/// BadTable (a number that is missing or out of range); nothing was changed then.
[[nodiscard]] Result<bool> load_coefficients(const DeviceFile& file,
                                             std::span<const NamedCoefficient> to);

/// Returns the path. Error: CannotWrite.
[[nodiscard]] Result<std::string> save_coefficients(const DeviceFile& file,
                                                    std::span<const NamedCoefficient> from);

/// What to say of a file that could not be loaded, and goes unused.
[[nodiscard]] std::string unused_coefficients_text(const Errors& errors, const DeviceFile& file);

}  // namespace vecc
