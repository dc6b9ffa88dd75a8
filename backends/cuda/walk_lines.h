// What blocks read again and again and nobody stores to: their rows' entries of lists, offsets and
// orders, and constants. A walk begins with fetching them all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/driver.h"
#include "backends/cuda/schedule.h"
#include "vecc/plan.h"

namespace vecc::cuda {

/// Adds a launch's to those of each block (`block_of`: by row, in the launch's order), as addresses
/// of lines of 128 bytes, perhaps more than once.
void add_lines(const Plan& plan, const Launch& launch, const LaunchArguments& arguments,
               std::span<const std::uint32_t> block_of,
               std::vector<std::vector<CUdeviceptr>>& lines);

/// Each line once, of each block at most `most`.
void keep_distinct_lines(std::vector<std::vector<CUdeviceptr>>& lines, std::size_t most);

}  // namespace vecc::cuda
