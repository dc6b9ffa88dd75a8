// --config=FILE of vecc-kg train: options as TOML.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace vecc::tools {

/// Adds --config; those of the command line come first. After the parse `keys` has the options that
/// the file gave ("--layers"); it must outlive the parse. Keys that are no options are errors with
/// file and line; a file of more than 1 MiB is one, too.
void add_config_option(CLI::App& app, std::vector<std::string>& keys);

/// `problem`, and behind it which of the options that it speaks of are the file's.
[[nodiscard]] std::string say_config_keys(const CLI::App& app, const std::vector<std::string>& keys,
                                          const std::string& problem);

}  // namespace vecc::tools
