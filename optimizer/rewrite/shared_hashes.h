// Which of many hashes are there more than once, where hardly any is: without a table of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optimizer/rewrite/unset_array.h"

namespace vecc::opt {

/// Of hashes, mixed in their upper bits, the numbers i for which first[i] is i and whose hash
/// another such number has, too, and of about one in sixteen of the others; ascending. By threads
/// (ListThreads), the same for any number of them.
[[nodiscard]] std::vector<std::uint32_t> perhaps_shared(const UnsetArray<std::uint64_t>& hashes,
                                                        std::span<const std::uint32_t> first);

}  // namespace vecc::opt
