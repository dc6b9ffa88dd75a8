// Printing a Program: --emit=ir|plan|dot|stats|python|cpp|cuda; html is tools/html's.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/common/command_paths.h"
#include "vecc/emit_native.h"
#include "vecc/emit_python.h"
#include "vecc/error.h"
#include "vecc/program.h"
#include "vecc/target.h"

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

enum class EmitKind : std::uint8_t { Ir, Plan, Dot, Stats, Html, Python, Cpp, Cuda };

struct EmitOptions {
  std::optional<EmitKind> kind;
  std::string path;              ///< empty: stdout; python, cpp, cuda: a folder
  bool full = false;             ///< ir: every array inline
  bool json = false;             ///< stats
  std::string target_name;       ///< plan, cuda: --target, a known GPU or a file; empty: not given
  std::optional<Target> target;  ///< plan, cuda: for this GPU
  MatmulPrecision precision = MatmulPrecision::Exact;  ///< plan, of a GPU
};

/// What emitted code is told of the graph.
struct EmittedCode {
  PythonOptions python;
  NativeOptions native;  ///< cpp, cuda
};

/// Adds --emit, -o, --full and --target.
void add_emit_options(CLI::App& app, EmitOptions& options);

/// ir on stdout: text that parses back, but on a terminal long arrays are shortened unless `full`.
/// ir in a file: long arrays go into the side file `path`.arrays unless `full`. `statistics` is
/// what stats prints. Not for html, which shows more than a Program. Errors: CannotWrite; those of
/// emit_python(), emit_cpp() and emit_cuda().
[[nodiscard]] Result<void> emit_program(const Program& program, const EmitOptions& options,
                                        const nlohmann::ordered_json& statistics,
                                        const EmittedCode& code = {});

/// The target that was named, before work starts. Errors: those of read_target(); that of
/// check_tensor_cores() for the precision.
[[nodiscard]] Result<void> read_emit_target(EmitOptions& options);

/// Where -o writes: a file, with its side file, or a folder; and the file of --target.
void add_emit_output(CommandPaths& paths, const EmitOptions& options);

/// What does not fit together; empty if all is well.
[[nodiscard]] std::string check_emit_options(const EmitOptions& options);

}  // namespace vecc::tools
