// Memory that was let go, back to the system.
#pragma once

#include <cstdint>

namespace vecc {

/// After a stage that has let much memory go in small pieces (of `pieces` ops), before one that
/// asks for large ones, which those would not serve. Nothing where there are few pieces.
void return_free_memory(std::uint64_t pieces);

}  // namespace vecc
