// What a GPU holds of a Plan's index arrays.
#pragma once

#include <cstdint>

#include "vecc/plan.h"

namespace vecc {

/// Where an array may begin there: at a multiple of so many bytes.
inline constexpr std::uint64_t kDeviceArrayAlignment = 256;

/// Of an array of so many bytes, with what lies empty behind it.
[[nodiscard]] constexpr std::uint64_t device_array_bytes(std::uint64_t bytes) {
  return (bytes + kDeviceArrayAlignment - 1) / kDeviceArrayAlignment * kDeviceArrayAlignment;
}

/// Of all arrays that launches read, in the widths in which they read them: what a run of all rows
/// has there. A batch has no more, beside its own.
[[nodiscard]] std::uint64_t bytes_of_device_arrays(const Plan& plan);

}  // namespace vecc
