// The subcommands of vecc-import: one file each, one line in the table of vecc_import.cc.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

#include "vecc/error.h"
#include "vecc/graph_io.h"

namespace vecc::tools {

/// By the ending of an output's name: `.gz` is gzip, `.zst` is zstd, anything else none.
[[nodiscard]] Compression compression_of(std::string_view path);

/// Adds `repeat`: many disjoint copies of a graph. When it is chosen, parsing runs it and sets
/// `exit_code`.
void add_repeat(CLI::App& app, ExitCode& exit_code);

}  // namespace vecc::tools
