// What running an op takes: launches, bytes moved, multiply-adds. Counted from shapes and rows.
#pragma once

#include <cstdint>

#include "vecc/cost.h"
#include "vecc/program.h"

namespace vecc::opt {

/// Multiply-adds of one product `left times right` of these shapes (after transposes): d*k*c for
/// [d,k] times [k,c], an element each where one is a scalar.
[[nodiscard]] std::uint64_t multiply_adds(Shape left, Shape right);

/// The work of one op: a value is read whole by each of its
/// readers and written once; facts, weights and outputs are there already; slices are views.
[[nodiscard]] Work work_of(const Program& program, ValueId value);

}  // namespace vecc::opt
