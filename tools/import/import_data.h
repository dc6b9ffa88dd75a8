// What the subcommands that ground a data set share: options, the two stages (load, ground), the
// report.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/common/stages.h"
#include "tools/import/ground/grounder.h"
#include "tools/import/import_options.h"
#include "vecc/error.h"

namespace vecc::tools {

/// --init, --seed, -o, --compression-level, --threads (what they are of), --quiet and the limits.
void add_import_options(CLI::App& command, ImportCommandOptions& options,
                        const std::string& threads = "That compress by zstd, 8 at most");

/// What --threads are where there is --parts.
inline constexpr const char* kPartThreads =
    "That write --parts, 64 at most, or compress by zstd, 8";

/// --parts, for commands whose grounding may run on several threads at once.
void add_parts_option(CLI::App& command, ImportCommandOptions& options);

/// `graph.pb.zst`: graph-0001-of-0004.pb.zst and so on; the output itself where it is one.
[[nodiscard]] std::vector<std::string> part_paths(const ImportCommandOptions& options);

/// --like, for commands whose numbers are the data's.
void add_like_option(CLI::App& command, ImportCommandOptions& options);

/// The entry of a table of models by its name, or null.
template <class Model>
const Model* find_by_name(std::span<const Model> models, std::string_view name) {
  for (const Model& model : models) {
    if (model.name == name) return &model;
  }
  return nullptr;
}
template <class Model>
std::vector<std::string> names_of(std::span<const Model> models) {
  std::vector<std::string> names;
  for (const Model& model : models) names.emplace_back(model.name);
  return names;
}
/// --model, one of `names`.
void add_model_option(CLI::App& command, std::string& model, const std::vector<std::string>& names);

/// Of an option whose file is read beside the input; `options` must outlive the parse.
void note_input(CLI::Option& option, ImportCommandOptions& options);

/// Before anything is read. Error: Usage (the output names what is read, has no such level, or is a
/// device in parts).
[[nodiscard]] Result<void> check_import_output(const ImportCommandOptions& options);

/// Opens the output, calls `ground`, and completes the file. `producer` names data and model. For a
/// graph in parts `ground` is called once more than there are threads, on all of them at once.
[[nodiscard]] Result<void> write_grounded(const ImportCommandOptions& options,
                                          const std::string& producer, Stages& stages,
                                          const std::function<Result<void>(Grounder&)>& ground);

/// Runs the stages `load` and `ground` and reports them; the exit code to leave with.
/// `load()` gives a Result<Data>; `describe(data)` the words of the report; `ground(data, out)` a
/// Result<void>; `name_of(data)` the data set's name.
template <class Load, class Describe, class Ground>
ExitCode import_data(const ImportCommandOptions& options, Load&& load, Describe&& describe,
                     Ground&& ground);

/// Prints the stages (unless quiet) or the errors.
[[nodiscard]] ExitCode report_import(const ImportCommandOptions& options, const Stages& stages,
                                     const Result<void>& result);

template <class Load, class Describe, class Ground>
ExitCode import_data(const ImportCommandOptions& options, Load&& load, Describe&& describe,
                     Ground&& ground) {
  Stages stages(!options.quiet);
  const auto work = [&]() -> Result<void> {
    VECC_TRY_VOID(check_import_output(options));
    VECC_TRY(const auto data, stages.run("load", [&](ProgressLine&) { return load(); }));
    stages.describe(describe(data), {});
    return write_grounded(options, "vecc-import, " + options.model, stages,
                          [&](Grounder& out) { return ground(data, out); });
  };
  return report_import(options, stages, work());
}

}  // namespace vecc::tools
