// How launches read the index arrays of a Plan.
#pragma once

#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// By array: whether kernels read it with 32 bits an entry, and whether with 16. Of a launch whose
/// lists and order all fit, these are narrow; offsets, words, and what a run fills, never are.
struct ArrayReads {
  explicit ArrayReads(const Plan& plan);
  std::vector<bool> wide;
  std::vector<bool> narrow;
};

}  // namespace vecc
