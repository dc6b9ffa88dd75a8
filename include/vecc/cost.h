// The cost model: how long a run of a Program takes on a device, from what it launches, moves and
// multiplies.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vecc/program.h"

namespace vecc {

/// What running something takes, counted from shapes and rows.
struct Work {
  double launches = 0;  ///< of kernels
  double bytes = 0;     ///< read and written, indices included, but for the next
  /// Read and written by products in which every row has a matrix of its own: batches of small
  /// products, far from the speed of memory.
  double batch_bytes = 0;
  double multiply_adds = 0;  ///< of products and sums; other functions count one an element

  Work& operator+=(const Work& other);
};

/// What runs a Program: libtorch op by op, or kernels of its own (a CPU's cost about the same).
enum class Runner : std::uint8_t { Cpu, TorchOnGpu, KernelsOnGpu };

/// Seconds of each unit of work. A run takes
///   run + launch * launches + byte * bytes + batch_byte * batch_bytes
///       + multiply_add * multiply-adds.
struct CostCoefficients {
  double run = 0;
  double launch = 0;
  double byte = 0;
  double batch_byte = 0;
  double multiply_add = 0;
  Runner runner = Runner::Cpu;  ///< what they were measured on
  bool operator==(const CostCoefficients&) const = default;
};
/// Of devices that were not calibrated (vecc-bench calibrate): those of a server's CPU, and of an
/// H200.
[[nodiscard]] CostCoefficients default_coefficients(Runner runner);
/// Whether products take longer than what they read and write, and what only one function reads is
/// not stored for it: so on a CPU. A GPU waits for memory and for launches.
[[nodiscard]] constexpr bool waits_for_products(Runner runner) {
  return runner == Runner::Cpu;
}

/// Counts a Program's work: a gather's rows are stored, a product reads a repeated operand in
/// place.
[[nodiscard]] Work work_of(const Program& program);
/// Seconds of that much work.
[[nodiscard]] double predict_seconds(const Work& work, const CostCoefficients& coefficients);
/// Seconds of a forward pass.
[[nodiscard]] double predict_seconds(const Program& program, const CostCoefficients& coefficients);

/// A run that was measured: its counted work and its time.
struct MeasuredWork {
  Work work;
  double seconds = 0;
};
/// The coefficients, none negative, with the least sum of squared relative errors over `runs`.
[[nodiscard]] CostCoefficients fit_coefficients(std::span<const MeasuredWork> runs);

}  // namespace vecc
