// Sums over members of rows that are only loaded, in C++.
#pragma once

#include <cstdint>
#include <optional>

#include "vecc/kernel.h"

namespace vecc {

/// Nodes of such a sum: a loaded row, its factor (kNoOperand: none), the sum.
struct SegmentSum {
  std::uint32_t row = 0;
  std::uint32_t factor = 0;
  std::uint32_t sum = 0;
};
/// Of a phase that only sums rows that it loads, each perhaps times a number: load x, [load factor,
/// product,] sum.
[[nodiscard]] std::optional<SegmentSum> segment_sum(const Kernel& kernel, const KernelPhase& phase);

}  // namespace vecc
