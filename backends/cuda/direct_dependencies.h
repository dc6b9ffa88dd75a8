// Which edges a graph of launches needs: a transitive reduction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vecc::cuda {

/// By launch, in falling order: of those that it waits for the ones that no other of them waits
/// for, directly or in turn. `before`: by launch, earlier ones. Memory: a bit for each pair of
/// launches.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> direct_dependencies(
    std::span<const std::vector<std::uint32_t>> before);

}  // namespace vecc::cuda
