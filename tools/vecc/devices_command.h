// vecc devices: the GPUs of this machine, and whether each backend can run here.
#pragma once

#include <CLI/App.hpp>
#include <memory>

namespace vecc::tools {

/// `argv[0]` is "devices". Returns the exit code.
[[nodiscard]] int devices_main(int argc, char** argv);
/// Its command line, for pages and completions.
[[nodiscard]] std::shared_ptr<CLI::App> devices_command_line();

}  // namespace vecc::tools
