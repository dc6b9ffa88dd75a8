// How many threads share the rows of a launch on a GPU, and how many members each has in flight.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kernel/schedule/kernel_schedule.h"
#include "src/kernel/schedule/loop_model.h"
#include "src/kernel/schedule/row_sizes.h"
#include "vecc/kernel.h"

namespace vecc {

/// The loops of a launch's rows by their class, and how many lanes share each row.
struct RowLoops {
  MemberLoops loops;
  std::vector<std::uint32_t> ends;  ///< by class, the launch's first row (in its order) behind it
  Cycles cycles{};                  ///< what they take, by the model
};

/// Few members are one thread's (one group of lanes'), more are shared by several of a warp, many
/// by a block. Where long rows come first they may have more threads; where there are many narrow
/// rows, fewer lanes share each, and blocks have fewer threads, but not below `fewest_threads`.
[[nodiscard]] RowLoops choose_loops(const Kernel& kernel, const RowSizes& sizes,
                                    const Target& target,
                                    std::uint32_t fewest_threads = kNarrowThreads);

}  // namespace vecc
