// The commands of vecc, `vecc NAME ...`, beside `vecc graph.pb`.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace vecc::tools {

struct Command {
  const char* name;
  int (*main)(int argc, char** argv);           ///< argv[0] is the command's name
  std::shared_ptr<CLI::App> (*command_line)();  ///< for pages and completions
};

/// `program` with its commands as CLI11 knows commands, which only pages and --help need.
[[nodiscard]] std::shared_ptr<CLI::App> whole_command_line(std::span<const Command> commands,
                                                           std::shared_ptr<CLI::App> program);

/// Runs the command that the first word names, or prints the page or completions of the whole
/// program; the exit code. None: the words are for `program` itself.
[[nodiscard]] std::optional<int> run_command(std::span<const Command> commands,
                                             std::shared_ptr<CLI::App> (*program)(), int argc,
                                             char** argv);

/// The commands of vecc.
[[nodiscard]] std::span<const Command> vecc_commands();

/// The command that a first word is a misspelling of; none where it names a file or an option.
[[nodiscard]] std::optional<std::string> meant_command(const std::string& word);

/// An app with what its options fill, which is freed with it.
template <class CommandLine>
std::shared_ptr<CLI::App> app_of(std::shared_ptr<CommandLine> line) {
  CLI::App* const app = &line->app;
  return {std::move(line), app};
}

}  // namespace vecc::tools
