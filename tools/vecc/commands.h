// The commands of vecc, `vecc NAME ...`, beside `vecc graph.pb`.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>

namespace vecc::tools {

/// Runs the command that the first word names, or prints the page or completions of all of vecc;
/// the exit code. None: the words are for a graph.
[[nodiscard]] std::optional<int> run_command(int argc, char** argv);

/// The command that a first word is a misspelling of; none where it names a file or an option.
[[nodiscard]] std::optional<std::string> meant_command(const std::string& word);

/// An app with what its options fill, which is freed with it.
template <class CommandLine>
std::shared_ptr<CLI::App> app_of(std::shared_ptr<CommandLine> line) {
  CLI::App* const app = &line->app;
  return {std::move(line), app};
}

}  // namespace vecc::tools
