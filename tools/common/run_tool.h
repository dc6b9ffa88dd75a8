// The outermost frame of every main: signals, command line, and what becomes an exit code.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "vecc/error.h"

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

/// Runs a main's body and turns what leaves it by exception into words and an exit code: a closed
/// pipe on stdout ends quietly with 0, InternalError (our bug) with 1, no memory with 5.
[[nodiscard]] int run_tool(const std::function<int()>& body);

/// Parses the command line. `help` is --help where a command could stand (`vecc help`,
/// `vecc-import help tu`); every command has --version. A value is the code to leave with at once:
/// 0 after --help or --version (printed on stdout), ExitCode::Usage after an error (on stderr, with
/// the name that a misspelt option or command is nearest to).
[[nodiscard]] std::optional<int> parse_arguments(CLI::App& app, int argc, char** argv);

/// Gives the app and each of its commands --version. parse_arguments() does so itself.
void add_version_flags(CLI::App& app);

/// Prints to stderr, with `error:` in red where the terminal allows; returns the exit code.
[[nodiscard]] int report_errors(const Errors& errors);
/// `vecc: error: message` and ExitCode::Usage.
[[nodiscard]] int report_usage(std::string_view tool, std::string_view message);

}  // namespace vecc::tools
