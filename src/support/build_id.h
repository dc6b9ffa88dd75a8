// Which build of vecc runs.
#pragma once

#include <string>

namespace vecc {

/// Of the executable or library that this code is in: its linker's build id, else its path, size
/// and time. Empty: unknown.
[[nodiscard]] std::string build_id();

}  // namespace vecc
