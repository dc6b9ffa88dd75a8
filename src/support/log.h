// Log lines: spdlog's default logger, which tools/common/logging.h sets up. spdlog's own header
// formats in every file that includes it, which is slow to compile.
#pragma once

#include <string_view>

namespace vecc {

void log_debug(std::string_view text);
/// Whether log_debug() writes anything.
[[nodiscard]] bool logs_debug();
void log_info(std::string_view text);
void log_warning(std::string_view text);

}  // namespace vecc
