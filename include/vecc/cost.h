// The cost model: how long a run of a Program takes on a device, from what it launches, moves and
// multiplies.
#pragma once

#include <span>
#include <string>

#include "vecc/program.h"

namespace vecc {

/// What a backend does that decides which passes help it, and what its work is.
struct BackendTraits {
  /// A gather's rows are written to memory (and not read through the index by what follows).
  bool stores_gathers = true;
  /// A product with a repeated operand reads it in place.
  bool broadcasts = true;
};

/// Seconds of each unit of work. A run takes
///   launch * launches + byte * bytes + multiply_add * multiply-adds.
struct CostCoefficients {
  double launch = 0;
  double byte = 0;
  double multiply_add = 0;
  bool operator==(const CostCoefficients&) const = default;
};
/// Of devices that were not calibrated: those of an H100, and of a server's CPU, by libtorch
/// (vecc-bench calibrate).
[[nodiscard]] CostCoefficients default_coefficients(bool on_gpu);

/// Seconds of a forward pass.
[[nodiscard]] double predict_seconds(const Program& program, const CostCoefficients& coefficients,
                                     const BackendTraits& traits = {});

/// A run that was measured: its counted work and its time.
struct MeasuredWork {
  double launches = 0;
  double bytes = 0;
  double multiply_adds = 0;
  double seconds = 0;
};
/// The coefficients, none negative, with the least sum of squared relative errors over `runs`.
[[nodiscard]] CostCoefficients fit_coefficients(std::span<const MeasuredWork> runs);
/// Counts a Program's work; `seconds` stays 0.
[[nodiscard]] MeasuredWork count_work(const Program& program, const BackendTraits& traits = {});

}  // namespace vecc
