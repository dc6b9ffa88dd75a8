// Running programs and reading what they print; this same program again in a fresh process.
#pragma once

#include <string>
#include <vector>

#include "vecc/error.h"

namespace vecc::tools {

/// Runs the program `file` (searched in PATH if it names no folder) with `arguments`, its stderr
/// shared with ours; returns what it wrote to stdout. Errors: DeviceFailure, if it cannot be
/// started or does not end with code 0.
[[nodiscard]] Result<std::string> run_child(const std::string& file,
                                            const std::vector<std::string>& arguments);

/// Runs this executable with `arguments`, its stderr shared with ours; returns what it wrote to
/// stdout. Errors: DeviceFailure, if it cannot be started or does not end with code 0.
[[nodiscard]] Result<std::string> run_self(const std::vector<std::string>& arguments);

}  // namespace vecc::tools
