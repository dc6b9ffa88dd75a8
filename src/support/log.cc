#include "src/support/log.h"

#include <spdlog/spdlog.h>

namespace vecc {
namespace {

void log(spdlog::level::level_enum level, std::string_view text) {
  spdlog::default_logger_raw()->log(level, spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace

void log_debug(std::string_view text) {
  log(spdlog::level::debug, text);
}
bool logs_debug() {
  return spdlog::default_logger_raw()->should_log(spdlog::level::debug);
}
void log_info(std::string_view text) {
  log(spdlog::level::info, text);
}
void log_warning(std::string_view text) {
  log(spdlog::level::warn, text);
}

}  // namespace vecc
