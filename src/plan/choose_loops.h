// How many threads share the members of a row on a GPU, and how many members each has under way.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kernel/print_cuda.h"
#include "src/plan/loop_model.h"
#include "vecc/plan.h"

namespace vecc {

/// The loops of a launch's rows by their class, and how many lanes share each row.
struct RowLoops {
  MemberLoops loops;
  std::vector<std::uint32_t> ends;  ///< by class, the launch's first row (in its order) behind it
  Cycles cycles{};                  ///< what they take, by the model
};

/// One for all rows: few members are one thread's (one group of lanes'), more are shared by several
/// of a warp, many by a block.
[[nodiscard]] RowLoops choose_loop(const Plan& plan, const Launch& launch,
                                   const CudaLayout& layout);

/// Where long rows come first (`PlanOptions::long_rows_first`) they may have more threads; where
/// there are many narrow rows, fewer lanes share each, and blocks have fewer threads, but not below
/// `fewest_threads`.
[[nodiscard]] RowLoops choose_row_loops(const Plan& plan, const Launch& launch,
                                        std::uint32_t fewest_threads = kNarrowThreads);

}  // namespace vecc
