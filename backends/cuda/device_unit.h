// A kernel's compile unit.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "src/kernel/print_cuda.h"

namespace vecc::cuda {

/// When a kernel waits for those before it, and those behind it may begin (prelude/lanes.h).
struct LaunchOrder {
  bool waits_last = false;     ///< it reads nothing of what it waits for
  bool releases_last = false;  ///< when its blocks end, not when they begin

  friend auto operator<=>(const LaunchOrder&, const LaunchOrder&) = default;
};

/// The preludes and the kernel, whose members are gone through so: Kernel or Merged.
[[nodiscard]] std::string unit_text(const Kernel& kernel, const MemberLoops& loops, CudaUnit unit,
                                    const Target& target, const LaunchOrder& order = {});

/// The same as functions for one launch of many kernels (CodeKind::Parts).
struct StepUnit {
  std::string name;  ///< functions are NAME_16, NAME_32; another for every other text
  std::string text;
  bool has_lists = false;                   ///< else there is no NAME_16
  std::uint32_t memory_bytes = kStepBytes;  ///< of a block's that it uses
};
/// `kind`: Step or WideStep.
[[nodiscard]] StepUnit step_unit(const Kernel& kernel, const MemberLoops& loops,
                                 const Target& target, CudaUnit kind = CudaUnit::Step);

}  // namespace vecc::cuda
