// How many threads share the members of a row on a GPU, and how many members each has under way.
#pragma once

#include <cstdint>

#include "src/kernel/print_cuda.h"
#include "vecc/plan.h"

namespace vecc {

inline constexpr std::uint32_t kProcessors = 132;  // of a large GPU

/// For all rows of a launch: few members are one thread's (one group of lanes'), more are shared by
/// several of a warp, many by a block. `processors`: of the GPU, that run the launch.
[[nodiscard]] MemberLoop choose_loop(const Plan& plan, const Launch& launch,
                                     const CudaLayout& layout,
                                     std::uint32_t processors = kProcessors);

/// By row: the launch's first `long_rows` have `loops.many`.
struct RowLoops {
  MemberLoops loops;
  std::uint32_t long_rows = 0;
};
/// The same where more threads may share long rows (`PlanOptions::long_rows_first`).
[[nodiscard]] RowLoops choose_row_loops(const Plan& plan, const Launch& launch,
                                        const CudaLayout& layout,
                                        std::uint32_t processors = kProcessors);

}  // namespace vecc
