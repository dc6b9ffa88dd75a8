// Rows of a table that change places in it.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/plan.h"
#include "vecc/program.h"

namespace vecc {

/// All that reads the table reads row order[p] at place p. Its `values` stay as they are.
void renumber_rows(Plan& plan, const Program& program, BufferIndex table,
                   std::uint64_t row_elements, const std::vector<std::uint32_t>& order);

}  // namespace vecc
