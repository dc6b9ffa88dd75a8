// vecc-bench compile.
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "compile_bench.h"
#include "compile_report.h"
#include "tools/common/number_options.h"
#include "tools/common/statistics.h"

namespace vecc::tools {
namespace {

Result<void> run_compile(const CompileBenchOptions& options) {
  VECC_TRY_VOID(check_bench_paths({options.input}, options.json_path));
  VECC_TRY(LateFile json, LateFile::open(options.json_path));
  VECC_TRY(const auto rows, bench_compile(options));
  VECC_TRY_VOID(write_data("", table_of(rows)));
  return json.write(dump_json(json_of(options, rows)) + "\n");
}

/// In the measured process: its numbers on stdout.
Result<void> run_compile_one(const std::string& path, std::uint32_t level) {
  VECC_TRY(const CompileMeasurement measurement, measure_compile(path, level));
  return write_data("", dump_json(json_of(measurement), -1) + "\n");
}

void add_compile_one(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand("compile-one", "")->group("");  // hidden
  const auto path = std::make_shared<std::string>();
  const auto level = std::make_shared<std::uint32_t>(2);
  command->add_option("graph", *path)->required();
  add_whole(*command, "-O", *level, {0, 3}, "");
  command->callback(
      [&body, path, level] { body = [=] { return run_compile_one(*path, *level); }; });
}

}  // namespace

void add_compile(CLI::App& app, CommandBody& body) {
  add_compile_one(app, body);
  CLI::App* command = app.add_subcommand(
      "compile",
      "Import, vectorize and optimize on one core: neurons a second and peak bytes an edge, for a "
      "graph repeated a few times over, each in fresh processes");
  const auto options = std::make_shared<CompileBenchOptions>();
  command->add_option("graph", options->input, "The graph")->required()->type_name("graph.pb");
  add_wholes(*command, "--times", options->times, {1, 1'000'000}, "How many copies of the graph")
      ->default_str(fmt::format("{}", fmt::join(options->times, ",")));
  add_whole(*command, "--repeat", options->repeat, {1, 1000},
            "Processes a size; the median counts");
  add_whole(*command, "-O", options->level, {0, 2}, "Optimization level")->type_name("LEVEL");
  command->add_option("--json", options->json_path, "Write every number to PATH")
      ->type_name("PATH");
  command->add_option("--temp", options->temporary_parent, "Where the repeated files go")
      ->type_name("FOLDER");
  command->callback([&body, options] { body = [options] { return run_compile(*options); }; });
}

}  // namespace vecc::tools
