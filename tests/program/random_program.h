// Random well-formed Programs: every op, every function and form, hostile names.
#pragma once

#include "tests/support/random_source.h"
#include "vecc/program.h"

namespace vecc::test {

/// A program of `op_count` random ops and the facts they need, then one or two outputs that hold
/// every sample once: verify() accepts it. Without indices that are values.
[[nodiscard]] Program random_program(RandomSource& random, std::uint32_t op_count);
/// The same, and beside every other op one with such an index: constant, drawn or computed.
[[nodiscard]] Program random_row_number_program(RandomSource& random, std::uint32_t op_count);

}  // namespace vecc::test
