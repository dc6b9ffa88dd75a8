// vecc learn DATABASE --target=TABLE.COLUMN: from a database to a model in a file, in one command.
#pragma once

#include <CLI/App.hpp>
#include <memory>

namespace vecc::tools {

/// `argv[0]` is "learn". Returns the exit code.
[[nodiscard]] int learn_main(int argc, char** argv);
/// Its command line, for pages and completions.
[[nodiscard]] std::shared_ptr<CLI::App> learn_command_line();

}  // namespace vecc::tools
