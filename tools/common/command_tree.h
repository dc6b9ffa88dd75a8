// A command line as its pages and completions see it: what a CLI::App holds, as plain text.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace vecc::tools {

struct OptionText {
  std::vector<std::string> names;  ///< `--output`, `-o`; of an argument one, without dashes
  std::string value;               ///< `N`, `FILE`, `a|b|c`; empty for a flag
  std::string default_value;       ///< empty: none
  std::string description;
  std::string group;
  bool is_argument = false;
  bool required = false;
  /// `a`, `b`, `c` where the value is one of them; empty: anything.
  [[nodiscard]] std::vector<std::string> choices() const;
};

struct CommandText {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionText> options;  ///< arguments first
  std::vector<CommandText> commands;
};

/// Without what --help hides.
[[nodiscard]] CommandText describe_command(const CLI::App& app);

}  // namespace vecc::tools
