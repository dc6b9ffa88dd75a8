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

/// As `Walk`, what the kernels are started with.
struct StepWalk {
  std::uint64_t from = 0;  ///< of a walk: `packs` times 16 bytes, an image, are copied from here
  std::uint64_t to = 0;    ///< vecc_walk_steps: to here, before the first step
  std::uint32_t packs = 0;
  std::uint32_t steps = 0;
  // vecc_walk_here: bytes of the image.
  std::uint32_t first_step = 0;
  std::uint32_t places = 0;  ///< of a list of bytes, 32 bits each, where numbers of bytes stand
  std::uint32_t place_count = 0;
  std::uint32_t unused = 0;
};
static_assert(sizeof(LaunchStep) == 32 && sizeof(StepWalk) == 40, "as the unit's text has them");

/// Of the image that vecc_walk_here has in its block's memory, at most; kernels have some as well.
inline constexpr std::uint32_t kImageHere = 32 << 10;
/// Whether that kernel is in a unit: its kernels leave so much of a block's memory.
[[nodiscard]] bool walks_here(std::span<const StepKernel> kernels);

/// A unit without preludes, with the kernels `(const Walk arguments, const Step* steps)` of blocks
/// of the schedules' threads (equal ones). vecc_run_steps: block b runs steps[b]. vecc_walk_steps,
/// of one block: it copies the image, in which `steps` are, and runs all of them in order.
/// vecc_walk_here: the same in its own memory, where each read takes a small part of the time; what
/// points into the image is, before, the number of a byte of it.
[[nodiscard]] std::string print_steps(std::span<const StepKernel> kernels, DType dtype);

}  // namespace vecc
