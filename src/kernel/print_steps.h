// Several kernels as one compile unit, which runs any list of their launches: steps, which are
// data.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

struct StepKernel {
  const Kernel* kernel = nullptr;
  const KernelSchedule* schedule = nullptr;  ///< of one class of rows
};

/// As `Step` of the unit: rows begin .. end - 1 of a kernel by its number in the list, or numbers
/// that are collected: of the kernel behind the last.
struct LaunchStep {
  std::uint64_t bound = 0;  ///< address of its kernel's `Bound` (print_cuda.h), or `Collect`
  std::uint32_t kernel = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t type = 0;
  std::uint32_t waits = 0;  ///< 1: for all steps before it
  std::uint32_t unused = 0;
};

/// As `Collect`: number i of `to` is number index[i] of `from`.
struct CollectedNumbers {
  std::uint64_t from = 0;
  std::uint64_t index = 0;  ///< of 32 bits each
  std::uint64_t to = 0;
};

/// As `Walk`, what both kernels are started with.
struct StepWalk {
  std::uint64_t from = 0;  ///< vecc_walk_steps: `packs` times 16 bytes are copied from here
  std::uint64_t to = 0;    ///< to here, before the first step
  std::uint32_t packs = 0;
  std::uint32_t steps = 0;
};

/// A unit without preludes, with the kernels `(const Walk arguments, const Step* steps)` of blocks
/// of the schedules' threads (equal ones): vecc_walk_steps, of one block, which runs all steps in
/// order; and vecc_run_steps, whose block b runs steps[b].
[[nodiscard]] std::string print_steps(std::span<const StepKernel> kernels, DType dtype);

}  // namespace vecc
