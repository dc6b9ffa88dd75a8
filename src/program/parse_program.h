// A Program's text with its long arrays in any source.
#pragma once

#include <string_view>

#include "src/program/parse_arrays.h"
#include "vecc/program.h"

namespace vecc {

/// parse_program() with another source of arrays than `side`, whose digest the text may state.
[[nodiscard]] Result<Program> parse_program_of(std::string_view text, std::string_view name,
                                               std::string_view side, ArraySource& source);

}  // namespace vecc
