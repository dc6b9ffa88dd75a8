// Texts to shared libraries: one compiler process a unit, several at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/host_compiler.h"
#include "vecc/error.h"

namespace vecc::cpu {

struct CompileOptions {
  std::uint32_t jobs = 0;  ///< processes at once; 0: as many as there are cores
  double timeout = 300;    ///< seconds a part of a unit
};

/// What one compiler process gets.
struct CompileUnit {
  std::string text;
  std::size_t parts = 1;  ///< that stand in the text
};

/// Processes at once.
[[nodiscard]] std::size_t job_count(const CompileOptions& options);

/// Compiles units[i] to library_path(folder, i), in no fixed order. `done(i)` is called after each;
/// its error ends the work as a compiler's does: what runs is waited for, nothing else starts.
/// `folder` is an empty private one. Errors: CompilerFailed with what the compiler printed, one of
/// each unit that failed.
[[nodiscard]] Result<void> compile_units(const HostCompiler& compiler,
                                         std::span<const CompileUnit> units,
                                         const std::string& folder, const CompileOptions& options,
                                         const std::function<Result<void>(std::size_t)>& done);

[[nodiscard]] std::string library_path(const std::string& folder, std::size_t unit);

}  // namespace vecc::cpu
