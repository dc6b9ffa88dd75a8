// What a row and a member of it take on a GPU, by how many lanes share them.
#pragma once

#include <cstdint>

#include "vecc/kernel.h"
#include "vecc/target.h"

namespace vecc {

/// Instructions of one thread, roughly: counted, not measured. Of matrices that lanes read from
/// many lines of the cache, what that takes longer.
struct RowCost {
  double row = 0;  ///< beside its members
  double member = 0;
  double halving = 0;  ///< joining what two groups of lanes have of a row
  /// Where a block shares a row: of so many members that a warp has at once.
  double block_member = 0;
  double block_members = 1;
};
/// Of so many lanes.
[[nodiscard]] RowCost cost_of_row(const Kernel& kernel, std::uint32_t lanes, const Target& target);

}  // namespace vecc
