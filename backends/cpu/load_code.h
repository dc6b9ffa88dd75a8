// Kernel texts to loaded code: from this process, from the cache, or from the compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/compile_units.h"
#include "backends/cpu/loaded_unit.h"
#include "backends/native/code_cache.h"
#include "vecc/error.h"

namespace vecc::cpu {

/// What is found again by itself, wherever it was compiled: C++17 that includes nothing or C's
/// headers only, and is linked with libm and libc. Several stand in one unit, behind what is common
/// to them: what has a name in one has it in no other.
struct CodePart {
  std::string text;
};
/// Parts of a unit where there are more than two for each compiler that runs at once. Two or three
/// dozen lines take GCC 50 ms, and what is common to kernels 35.
inline constexpr std::size_t kPartsOfUnit = 16;

struct LoadOptions {
  std::string cache_folder;  ///< empty: $VECC_CACHE_DIR/code and so on (cache_folder.h)
  std::uint64_t cache_bytes = native::kCodeCacheBytes;
  CompileOptions compile;
  /// After each unit that was compiled: how many parts are, of how many.
  std::function<void(std::size_t compiled, std::size_t all)> progress;
  /// What does not stop the work, such as a cache folder that cannot be written in.
  std::function<void(const std::string&)> warn;
};

/// Parts of the same text count once.
struct CodeCounts {
  std::uint32_t units = 0;  ///< compiler processes
  std::uint32_t compiled = 0;
  std::uint32_t cached = 0;  ///< from the cache, or loaded in this process already
  double seconds = 0;        ///< all of load_code()
};

/// What compiles is in a temporary folder `vecc-code-*`, which goes before this returns. Ctrl-C
/// ends the compilers: an error, unless it ends us too (vecc's own tools remove the folder then).
/// The library that has each part, in order, in which others may be, too. `common` stands before
/// them. Threads and processes may do so at once. `counts` may be null. Errors: CompilerAbsent,
/// CompilerFailed, CannotWrite (no temporary folder).
[[nodiscard]] Result<std::vector<std::shared_ptr<const LoadedUnit>>> load_code(
    std::string_view common, std::span<const CodePart> parts, const LoadOptions& options,
    CodeCounts* counts);

}  // namespace vecc::cpu
