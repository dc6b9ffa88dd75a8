// Kernels to functions that are loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/cpu/load_code.h"
#include "src/kernel/print_cpp.h"
#include "src/runtime/tile_walk.h"
#include "vecc/kernel.h"
#include "vecc/target.h"

namespace vecc::cpu {

struct LoadedKernel {
  std::shared_ptr<const LoadedUnit> unit;  ///< has the functions
  KernelFunction narrow = nullptr;         ///< lists of 16 bits; null if the kernel has no lists
  KernelFunction wide = nullptr;           ///< of 32
  std::uint64_t scratch_bytes = 0;
};

/// What is loaded of a kernel: functions that are missing are null.
struct WantedKernel {
  const Kernel* kernel = nullptr;
  CppVariants variants;
};

/// In the order of `kernels`, which were planned for `target`. Errors: those of load_code().
[[nodiscard]] Result<std::vector<LoadedKernel>> load_kernels(std::span<const WantedKernel> kernels,
                                                             const Target& target,
                                                             const LoadOptions& options,
                                                             CodeCounts* counts);

}  // namespace vecc::cpu
