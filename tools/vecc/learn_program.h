// vecc-learn, the program with the commands that read databases (tools/learn). vecc runs it in its
// own place, so that a build of vecc alone compiles no import.
#pragma once

#include <CLI/App.hpp>
#include <memory>

namespace vecc::tools {

/// What `vecc learn` does, for its --help, vecc's and vecc-learn's.
inline constexpr const char* kLearnDescription =
    "Learns to predict a column of a database: import, training, metrics, a model.";

/// Replaces this process with the vecc-learn beside it, which gets the words; argv[0] is the
/// command. Returns only where it cannot: the exit code, after an error that `command` reports.
[[nodiscard]] int run_learn_program(const char* command, int argc, char** argv);

/// `vecc learn`.
[[nodiscard]] int learn_program_main(int argc, char** argv);
/// Its name for pages and completions; vecc-learn has those of its options.
[[nodiscard]] std::shared_ptr<CLI::App> learn_program_command_line();

}  // namespace vecc::tools
