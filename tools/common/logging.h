// --log-level: spdlog on stderr.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

/// Adds --log-level (trace, debug, info, warn, error, off).
void add_log_option(CLI::App& app, std::string& level);
/// Log lines go to stderr as `[warning] ...`, without colour.
void set_up_logging(const std::string& level);

}  // namespace vecc::tools
