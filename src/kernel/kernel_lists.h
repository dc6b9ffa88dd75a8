// Which lists a kernel reads.
#pragma once

#include <algorithm>

#include "vecc/kernel.h"

namespace vecc {

/// Whether a tile of rows has a type.
[[nodiscard]] inline bool has_types(const Kernel& kernel) {
  return std::ranges::any_of(kernel.accesses,
                             [](const KernelAccess& a) { return a.map == RowMap::Tile; });
}
/// Whether rows come in an order, or may.
[[nodiscard]] inline bool has_order(const Kernel& kernel) {
  return kernel.ordered || has_types(kernel);
}
/// Whether it reads lists or an order, so that their width matters.
[[nodiscard]] inline bool has_lists(const Kernel& kernel) {
  return has_order(kernel) || std::ranges::any_of(kernel.accesses, [](const KernelAccess& a) {
           return a.map == RowMap::List;
         });
}

}  // namespace vecc
