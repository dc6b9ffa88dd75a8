// vecc predict MODEL DATABASE: what the rows of a database are predicted as.
#pragma once

#include <CLI/App.hpp>
#include <memory>

namespace vecc::tools {

/// argv[0] is the command's name. The exit code.
[[nodiscard]] int predict_rows_main(int argc, char** argv);
/// Its command line, for pages and completions.
[[nodiscard]] std::shared_ptr<CLI::App> predict_rows_command_line();

}  // namespace vecc::tools
