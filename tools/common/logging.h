// --log-level: spdlog on stderr.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

[[nodiscard]] const std::vector<std::string>& log_levels();
/// Adds --log-level, one of them.
void add_log_option(CLI::App& app, std::string& level);
/// Log lines go to stderr as `[warning] ...`, without colour.
void set_up_logging(const std::string& level);

}  // namespace vecc::tools
