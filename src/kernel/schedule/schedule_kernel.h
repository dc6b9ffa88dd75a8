// schedule_kernel(): how a kernel runs, decided once, by pure functions of the kernel, the loops
// that choose_loops() has for the sizes of a launch, and the target.
#pragma once

#include <cstdint>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"
#include "vecc/target.h"

namespace vecc {

/// For a GPU, by the loops that choose_loops() has for a launch: launches of one kernel that have
/// the same run one text. In which precision products are computed is the kernel's.
[[nodiscard]] KernelSchedule schedule_kernel(const Kernel& kernel, const MemberLoops& loops,
                                             const Target& target);
/// As C++: no size decides anything.
[[nodiscard]] KernelSchedule schedule_for_cpp(const Kernel& kernel, const Target& target);

/// All but launch bounds for a GPU, with as many lanes a row as it may have.
[[nodiscard]] KernelSchedule schedule_widest(const Kernel& kernel);

/// Rows of a product that a block has at least, where fewer rows a block make more blocks: those of
/// one of its warps.
inline constexpr std::uint32_t kFewestProductRows = kWarpThreads;

/// Rows that a block has at once, of a launch of so many, where `slots` groups of lanes share each:
/// more are several turns of it, or blocks.
[[nodiscard]] std::uint32_t rows_of_block(const KernelSchedule& schedule, std::uint32_t slots,
                                          std::uint32_t rows, const Target& target);

/// Whether a GPU's blocks have rows in blocks, for a product with a matrix that these share.
[[nodiscard]] bool runs_in_blocks(const Kernel& kernel);

}  // namespace vecc
