// vecc evaluate: loss and metrics of a graph's samples.
#pragma once

#include <CLI/App.hpp>
#include <memory>

namespace vecc::tools {

/// argv[0] is the command's name. The exit code.
[[nodiscard]] int evaluate_main(int argc, char** argv);
[[nodiscard]] std::shared_ptr<CLI::App> evaluate_command_line();

}  // namespace vecc::tools
