// Instructions of CUDA text whose operands are so many that a program writes them.
#pragma once

#include <cstdint>
#include <string>

namespace vecc {

/// GroupProduct<columns> of prelude/warpgroups.h: wgmma m64nNk8 of TF32 numbers, N = `columns`, a
/// multiple of 8 from 8 to 256; rows are in registers, sums are columns / 2 of each thread. For
/// compute capability 9.0 alone: empty when compiled for others.
[[nodiscard]] std::string group_product_text(std::uint32_t columns);

}  // namespace vecc
