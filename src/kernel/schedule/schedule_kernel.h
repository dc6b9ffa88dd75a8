// schedule_kernel(): how a kernel runs, decided once, by pure functions of the kernel, the sizes of
// a launch and the target.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/kernel/schedule/choose_loops.h"
#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"
#include "vecc/target.h"

namespace vecc {

/// How a kernel's launch runs on a GPU.
struct LaunchSchedule {
  std::shared_ptr<const KernelSchedule> schedule;  ///< launches of one kernel may have the same
  std::vector<std::uint32_t> ends;  ///< by class, the launch's first row (in its order) behind it
  Cycles cycles{};                  ///< what its rows take, by the model
};

/// For a GPU. In which precision products are computed is the kernel's. `fewest_threads`: a block
/// has no fewer, however many narrow rows there are.
[[nodiscard]] LaunchSchedule schedule_kernel(const Kernel& kernel, const RowSizes& sizes,
                                             const Target& target,
                                             std::uint32_t fewest_threads = kNarrowThreads);
/// The same where the loops are chosen: launches of one kernel that have the same run one text.
[[nodiscard]] KernelSchedule schedule_kernel(const Kernel& kernel, const MemberLoops& loops,
                                             const Target& target);
/// As C++: no size decides anything.
[[nodiscard]] KernelSchedule schedule_for_cpp(const Kernel& kernel);

/// All but launch bounds, which depend on the target: C++ if there are 0 lanes.
[[nodiscard]] KernelSchedule schedule_loops(const Kernel& kernel, const MemberLoops& loops);

/// The same for a GPU, with as many lanes a row as it may have.
[[nodiscard]] KernelSchedule schedule_widest(const Kernel& kernel);

/// Whether a GPU's blocks have rows in blocks, for a product with a matrix that these share.
[[nodiscard]] bool runs_in_blocks(const Kernel& kernel);

}  // namespace vecc
