// Sorting rows by two numbers: how passes find equal pairs, and count the uses of each side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vecc::opt {

/// Rows 0 .. n-1 sorted by (major[row], minor[row], row); both have n numbers. Linear (radix),
/// by all threads (ListThreads).
[[nodiscard]] std::vector<std::uint32_t> order_of_pairs(std::span<const std::uint32_t> major,
                                                        std::span<const std::uint32_t> minor);

}  // namespace vecc::opt
