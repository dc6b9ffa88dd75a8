// How a launch runs on a GPU.
#pragma once

#include <cstdint>

namespace vecc::emitted {

/// Threads of a block, of every kernel.
inline constexpr unsigned kBlockThreads = 256;

/// A row a launch. Places are elements of indices_32.
struct BlockTableRow {
  std::uint64_t blocks;  ///< BlockRows of kernels/prelude.h, four numbers a block
  std::uint64_t block_count;
  std::uint64_t before;  ///< launches that it waits for, all of them earlier
  std::uint64_t before_count;
};

}  // namespace vecc::emitted
