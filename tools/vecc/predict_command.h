// vecc predict: classes and probabilities, or numbers, of a graph's samples. Of the rows of a
// database: tools/learn.
#pragma once

#include <CLI/App.hpp>
#include <memory>

namespace vecc::tools {

/// argv[0] is the command's name. The exit code.
[[nodiscard]] int predict_main(int argc, char** argv);
[[nodiscard]] std::shared_ptr<CLI::App> predict_command_line();

}  // namespace vecc::tools
