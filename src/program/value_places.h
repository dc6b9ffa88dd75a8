// Which values of a Program lie one after another in one buffer: the parts of concats.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// Rows first_row .. of the buffer that is named after one of the values in it.
struct Place {
  ValueId buffer = 0;
  std::uint32_t first_row = 0;
};

/// By value. The operands of a concat are made in its buffer, so that D levels of a recursion, each
/// a concat of all before it and its own rows, take the rows there are and not D times as many.
/// Where two concats have an operand in common, the later one has it in its buffer and the other
/// copies. A gather has no place of its own; facts, weights and states stay by themselves.
[[nodiscard]] std::vector<Place> place_values(const Program& program);

}  // namespace vecc
