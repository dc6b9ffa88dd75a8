// What a kernel is: a function of its arguments and a tile.
#pragma once

#include "src/runtime/tile_walk.h"

namespace vecc::emitted {

using KernelFunction = cpu::KernelFunction;

}  // namespace vecc::emitted
