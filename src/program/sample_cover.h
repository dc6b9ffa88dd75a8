// Whether index lists together name every sample exactly once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vecc/index.h"

namespace vecc {

/// The first sample that `indices` do not name exactly once.
struct SampleFault {
  std::uint32_t sample = 0;
  bool is_missing = false;  ///< else named twice, or at `count` or beyond
};

/// None if `indices` name each of 0 .. count-1 once and nothing else. Memory is that of the lists:
/// a text may claim four billion samples by `[0:4000000000]`, so nothing is sized by `count`.
[[nodiscard]] std::optional<SampleFault> find_sample_fault(const std::vector<Index>& indices,
                                                           std::uint32_t count);

}  // namespace vecc
