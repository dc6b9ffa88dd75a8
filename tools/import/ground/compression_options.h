// --compression-level and --threads of the commands that write a graph.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "vecc/error.h"
#include "vecc/graph_io.h"

namespace vecc::tools {

struct CompressionOptions {
  std::uint32_t level = 0;    ///< 0: the format's default
  std::uint32_t threads = 0;  ///< of the command; 0: one a processor
};

/// By the ending of a file's name: `.gz` is gzip, `.zst` is zstd, anything else none.
[[nodiscard]] Compression compression_of(std::string_view path);

/// `threads` says what they are of, with "0: one a processor" behind it. `options` must outlive the
/// parse.
void add_compression_options(CLI::App& command, CompressionOptions& options,
                             const std::string& threads = "That compress by zstd, 8 at most");

/// Of a file of that name. Error: Usage in the name of `tool` (a level that its format does not
/// have).
[[nodiscard]] Result<Encoding> encoding_of(std::string_view tool, std::string_view path,
                                           const CompressionOptions& options);

}  // namespace vecc::tools
