// Which of many hashes are there more than once, where hardly any is: without a table of them.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/rewrite/unset_array.h"

namespace vecc::opt {

/// Of hashes 0 .. count-1, mixed in their upper bits, the numbers of all that are equal to another,
/// and of about one in sixteen of the others; ascending. By threads (ListThreads), the same for any
/// number of them.
[[nodiscard]] std::vector<std::uint32_t> perhaps_shared(const UnsetArray<std::uint64_t>& hashes,
                                                        std::uint32_t count);

}  // namespace vecc::opt
