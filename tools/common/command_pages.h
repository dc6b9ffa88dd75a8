// Manual pages and shell completions, made from the options themselves.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vecc::tools {

/// A page of section 1 in man(7)'s macros: the options by group, then every command with its own.
[[nodiscard]] std::string man_page(const CLI::App& app, std::string_view version);

enum class Shell : std::uint8_t { Bash, Zsh, Fish };
/// bash, zsh, fish; none for other text.
[[nodiscard]] std::optional<Shell> parse_shell(std::string_view text);
/// A script for the shell's completion of the app's commands, options, and values where an option
/// has a list of them; files else.
[[nodiscard]] std::string completion_script(const CLI::App& app, Shell shell);

/// `--print-man` and `--print-completion=SHELL` as the only word: the page or script on stdout, and
/// the exit code; none for other words. They are for packaging and not in --help.
[[nodiscard]] std::optional<int> print_command_page(const CLI::App& app, std::string_view word);

}  // namespace vecc::tools
