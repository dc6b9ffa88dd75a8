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

}  // namespace vecc::cuda
