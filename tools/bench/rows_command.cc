// vecc-bench rows.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "rows_bench.h"
#include "tools/common/number_options.h"
#include "tools/common/statistics.h"

namespace vecc::tools {
namespace {

Result<void> run_rows(const RowsBenchOptions& options) {
  VECC_TRY_VOID(check_bench_paths(options.inputs, options.json_path));
  VECC_TRY(LateFile json, LateFile::open(options.json_path));
  VECC_TRY(const auto counts, bench_rows(options));
  VECC_TRY_VOID(write_data("", table_of(counts)));
  return json.write(dump_json(json_of(counts)) + "\n");
}

}  // namespace

void add_rows(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand(
      "rows", "How many rows the optimizer leaves, layer by layer, beside the thesis' numbers");
  const auto options = std::make_shared<RowsBenchOptions>();
  command
      ->add_option("inputs", options->inputs,
                   "Graphs, or folders in TUDataset text that each --model grounds")
      ->required()
      ->type_name("graph.pb|DIR ...");
  command->add_option("--models", options->models, "Architectures for folders")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->capture_default_str();
  add_whole(*command, "--dim", options->dim, {1, 4096}, "Dimensions of every layer");
  command->add_option("--passes", options->passes, "Count after exactly these")
      ->delimiter(',')
      ->type_name("PASS,...")
      ->capture_default_str();
  command->add_option("--presets", options->presets, "And at -O2 with these presets")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->capture_default_str();
  command->add_option("--json", options->json_path, "Write every number to PATH")
      ->type_name("PATH");
  command->callback([&body, options] { body = [options] { return run_rows(*options); }; });
}

}  // namespace vecc::tools
