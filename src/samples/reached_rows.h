// The rows of every value that some rows of outputs need.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// By value, its rows that are needed, rising.
using ReachedRows = std::vector<std::vector<std::uint32_t>>;

/// Adds all rows that the rows in `reached` (in any order, of any values) are computed from; what
/// softmax and sparsemax keep is needed by whole segments. A forward Program. Linear in the rows
/// and members that are reached, times the logarithm of the rows of an op, and in the number of
/// ops.
void reach_rows(const Program& program, ReachedRows& reached);

}  // namespace vecc
