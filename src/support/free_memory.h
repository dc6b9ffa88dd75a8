// What the host's memory has free, and what was let go back to the system.
#pragma once

#include <cstdint>

namespace vecc {

/// After a stage that has let much memory go in small pieces (of `pieces` ops), before one that
/// asks for large ones, which those would not serve. Nothing where there are few pieces.
void return_free_memory(std::uint64_t pieces);

/// Bytes that may be asked for without others being swapped out; 0 if the system does not say.
[[nodiscard]] std::uint64_t free_host_bytes();

}  // namespace vecc
