// Printing a Program: --emit=ir|plan|dot|stats|python|cpp|cuda; html is tools/html's.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/common/command_paths.h"
#include "vecc/emit_native.h"
#include "vecc/emit_python.h"
#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc::tools {

enum class EmitKind : std::uint8_t { Ir, Plan, Dot, Stats, Html, Python, Cpp, Cuda };

struct EmitOptions {
  std::optional<EmitKind> kind;
  std::string path;     ///< empty: stdout; python, cpp, cuda: a folder
  bool full = false;    ///< ir: every array inline
  bool json = false;    ///< stats
  bool on_gpu = false;  ///< plan: as a GPU runs it
  MatmulPrecision precision = MatmulPrecision::Exact;  ///< plan, of a GPU
};

/// What emitted code is told of the graph.
struct EmittedCode {
  PythonOptions python;
  NativeOptions native;  ///< cpp, cuda
};

/// Adds --emit, -o and --full.
void add_emit_options(CLI::App& app, EmitOptions& options);

/// ir on stdout: text that parses back, but on a terminal long arrays are shortened unless `full`.
/// ir in a file: long arrays go into the side file `path`.arrays unless `full`. `statistics` is
/// what stats prints. Not for html, which shows more than a Program. Errors: CannotWrite; those of
/// emit_python(), emit_cpp() and emit_cuda().
[[nodiscard]] Result<void> emit_program(const Program& program, const EmitOptions& options,
                                        const nlohmann::ordered_json& statistics,
                                        const EmittedCode& code = {});

/// Where -o writes: a file, with its side file, or a folder.
void add_emit_output(CommandPaths& paths, const EmitOptions& options);

/// What does not fit together; empty if all is well.
[[nodiscard]] std::string check_emit_options(const EmitOptions& options);

}  // namespace vecc::tools
