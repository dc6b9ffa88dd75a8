// What every text of a data set has to be before its lines are read.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"

namespace vecc::tools {

/// Numbers of nodes and edges have 32 bits, and the last one is taken.
inline constexpr std::uint64_t kMaxRows = std::numeric_limits<std::uint32_t>::max() - 1;

/// Error FileEmpty: nothing but blank lines; `expected` says what should be there.
bool check_not_empty(const Text& text, std::string_view expected, LoadErrors& errors);
/// Not empty, and UTF-8, which names have to be. Errors: FileEmpty, BadTable.
bool check_names_text(const Text& text, std::string_view expected, LoadErrors& errors);
/// At most kMaxRows lines; else an error with this code.
bool check_row_limit(const Text& text, std::uint64_t rows, ErrorCode code, LoadErrors& errors);

}  // namespace vecc::tools
