// Concats that a kernel stores: part by part.
#pragma once

#include "vecc/kernel.h"

namespace vecc {

/// A concat that only stores read, and functions of each entry before these, is not made: its parts
/// are stored one by one, and the functions are computed of each part.
///
///   %2 = concat %0, %1 : 64x1 ; %3 = transform tanh %2 : 64x1 ; store 2 %3
///   =>
///   %2 = transform tanh %0 : 32x1 ; store 2 %2 from 0
///   %3 = transform tanh %1 : 32x1 ; store 2 %3 from 32
///
/// A kernel in which anything else reads a concat stays as it is. Not for kernels whose stores may
/// alias loads.
void store_parts(Kernel& kernel);

}  // namespace vecc
