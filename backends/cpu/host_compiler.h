// The C++ compiler of the machine that runs the kernels, and how it is called.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vecc/error.h"

namespace vecc::cpu {

struct HostCompiler {
  std::string path;  ///< absolute
  /// What another compiler, or another version of it, has different. A compiler's own executable
  /// stands for its version by where it is, its size and its time; of a script or ccache, which
  /// stay the same when the compiler behind them changes, the line that `--version` prints is in it
  /// too (2 ms for g++, 40 ms for clang++: not for every run).
  std::string identity;
};

/// $VECC_CXX if it is set, else the first of c++, g++, clang++ in PATH. Errors: CompilerAbsent;
/// CompilerFailed, if VECC_CXX names what is no compiler: no other one takes its place.
[[nodiscard]] Result<HostCompiler> find_host_compiler();

/// The first line of `--version`: "g++ (Debian 12.2.0-14) 12.2.0". Error: CompilerFailed.
[[nodiscard]] Result<std::string> compiler_version(const std::string& path);

/// What makes a shared library of a source, the same flags for every unit; $VECC_CXXFLAGS, words
/// between spaces, are the last.
[[nodiscard]] std::vector<std::string> compile_flags();
/// What comes behind the source: the libraries.
[[nodiscard]] std::span<const char* const> link_flags();

}  // namespace vecc::cpu
