#include "tools/common/logging.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>

namespace vecc::tools {

const std::vector<std::string>& log_levels() {
  static const std::vector<std::string> levels = {"trace", "debug", "info", "warn", "error", "off"};
  return levels;
}

void add_log_option(CLI::App& app, std::string& level) {
  app.add_option("--log-level", level, "What is logged on stderr")
      ->check(CLI::IsMember(log_levels()).description(""))
      ->type_name("trace|debug|info|warn|error|off")
      ->capture_default_str();
}

void set_up_logging(const std::string& level) {
  auto logger =
      std::make_shared<spdlog::logger>("vecc", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("[%l] %v");
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace vecc::tools
