// Printing a Program: --emit=ir|dot|stats; html is tools/html's.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc::tools {

enum class EmitKind : std::uint8_t { Ir, Dot, Stats, Html };

struct EmitOptions {
  std::optional<EmitKind> kind;
  std::string path;   ///< empty: stdout
  bool full = false;  ///< ir: every array inline
  bool json = false;  ///< stats
};

/// Adds --emit, -o and --full.
void add_emit_options(CLI::App& app, EmitOptions& options);

/// ir on stdout: text that parses back, but on a terminal long arrays are shortened unless `full`.
/// ir in a file: long arrays go into the side file `path`.arrays unless `full`. `statistics` is
/// what stats prints. Not for html, which shows more than a Program. Errors: CannotWrite.
[[nodiscard]] Result<void> emit_program(const Program& program, const EmitOptions& options,
                                        const nlohmann::ordered_json& statistics);

}  // namespace vecc::tools
