// `vecc run`: the outputs of a graph by a saved program.
#pragma once

#include <CLI/App.hpp>
#include <memory>

namespace vecc::tools {

/// Runs the command; argv[0] is its name. The exit code.
[[nodiscard]] int run_main(int argc, char** argv);
/// Its command line, for pages and completions.
[[nodiscard]] std::shared_ptr<CLI::App> run_command_line();

}  // namespace vecc::tools
