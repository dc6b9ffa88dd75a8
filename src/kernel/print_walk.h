// One launch for a whole stage, and what goes on from run to run, as CUDA C++.
#pragma once

#include <span>
#include <string>

#include "src/kernel/print_cuda.h"
#include "vecc/program.h"

namespace vecc {

/// A unit with the kernels vecc_walk_block, vecc_walk_cluster and vecc_walk_grid, of one block, of
/// one cluster and of blocks that run at the same time: `(const Bound walk, const Item*
/// items)`, which are prelude/walk.h's. Item.step is a place in `steps`: names of functions in
/// other units. `step_bytes`: of a block's memory what steps use themselves.
[[nodiscard]] std::string print_walk(std::span<const std::string> steps, DType dtype,
                                     std::uint32_t step_bytes = kStepBytes);

/// A unit with the kernel vecc_end_run of one block: `(const Bound arguments, unsigned* run)`,
/// where Bound is a pointer to a Series of prelude/series.h: ends run number *run, and counts it.
[[nodiscard]] std::string print_end_run(DType dtype);

}  // namespace vecc
