// The subcommands of vecc-import: one file each, one line in the table of vecc_import.cc.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "vecc/error.h"

namespace vecc::tools {

/// Each adds a subcommand that grounds one kind of data set. When it is chosen, parsing runs it and
/// sets `exit_code`.
void add_tu(CLI::App& app, ExitCode& exit_code);
void add_graph(CLI::App& app, ExitCode& exit_code);
void add_kg(CLI::App& app, ExitCode& exit_code);
void add_rdf(CLI::App& app, ExitCode& exit_code);
void add_hgb(CLI::App& app, ExitCode& exit_code);
void add_sql(CLI::App& app, ExitCode& exit_code);
void add_synth(CLI::App& app, ExitCode& exit_code);
void add_synth_set(CLI::App& app, ExitCode& exit_code);

/// Adds `repeat`: many disjoint copies of a graph. When it is chosen, parsing runs it and sets
/// `exit_code`.
void add_repeat(CLI::App& app, ExitCode& exit_code);

/// What --list prints: every architecture with a one-line formula.
[[nodiscard]] std::string list_models();

}  // namespace vecc::tools
