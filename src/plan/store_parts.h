// Concats that a kernel stores: part by part.
#pragma once

#include "vecc/kernel.h"

namespace vecc {

/// Concats of which nothing but stores, and functions of each entry before these, are made are not
/// made: what is stored of them is stored part by part, and functions are computed part by part.
///
///   %2 = concat %0, %1 : 64x1 ; %3 = transform tanh %2 : 64x1 ; store 2 %3
///   =>
///   %2 = transform tanh %0 : 32x1 ; store 2 %2 from 0
///   %3 = transform tanh %1 : 32x1 ; store 2 %3 from 32
///
/// A kernel that makes another concat, or stores none, stays as it is. Not for kernels whose stores
/// may alias loads.
void store_parts(Kernel& kernel);

}  // namespace vecc
