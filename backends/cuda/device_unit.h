// A kernel's compile unit.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "src/kernel/print_cuda.h"

namespace vecc::cuda {

/// Of a programmatic dependent launch: when the kernel waits for those before it, and when those
/// behind it may start (wait_for_launches() of prelude/lanes.h).
struct ProgrammaticLaunch {
  bool waits_last = false;     ///< when it has computed: it reads nothing of what it waits for
  bool releases_last = false;  ///< when its blocks end, not when they start

  friend auto operator<=>(const ProgrammaticLaunch&, const ProgrammaticLaunch&) = default;
};

/// The preludes and the kernel.
[[nodiscard]] std::string unit_text(const Kernel& kernel, const KernelSchedule& schedule,
                                    CudaUnit unit, const ProgrammaticLaunch& programmatic = {},
                                    CudaLists lists = CudaLists::Both);

}  // namespace vecc::cuda
