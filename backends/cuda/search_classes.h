// Sets of a search that have the same numbers in any batch, as equal jobs put them there: number
// by number, as values of a program are numbered by what computes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/search_sections.h"

namespace vecc::cuda {

struct SearchClasses {
  std::vector<std::uint32_t> same;  ///< by set: the first that has the same numbers
  std::vector<std::uint32_t> puts;  ///< those that are left: one of each that puts the same
};

/// `puts`: in an order in which each may follow those before it. A set that something is put into
/// after it was read is the same as no other.
[[nodiscard]] SearchClasses find_classes(std::span<const SearchSection> sections,
                                         std::span<const SearchPut> puts);

}  // namespace vecc::cuda
