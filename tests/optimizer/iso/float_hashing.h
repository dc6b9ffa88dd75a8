// The other way to find equal rows: run the Program in floats on a few random weights, and call
// rows equal whose numbers are. What it gets wrong, fingerprints must get right.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc::test {

/// The class of each row of `value`: rows are equal if all their elements are, bit by bit, in four
/// forward passes in 32-bit floats: on the parameters' own values (0.5 if none) and on three draws
/// from [-10, 10). Programs of facts, weights, concats, gathers, linears, sums, averages and
/// elementwise transforms. Numbered in the order of first occurrence.
[[nodiscard]] std::vector<std::uint32_t> float_classes(const Program& program, ValueId value);

}  // namespace vecc::test
