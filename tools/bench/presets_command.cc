// vecc-bench presets.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "presets_bench.h"
#include "tools/common/precision_option.h"
#include "tools/common/statistics.h"

namespace vecc::tools {
namespace {

Result<void> run_presets(const PresetsBenchOptions& options) {
  VECC_TRY_VOID(check_bench_paths(options.data, options.json_path, options.svg_path));
  VECC_TRY(LateFile json, LateFile::open(options.json_path));
  VECC_TRY(LateFile svg, LateFile::open(options.svg_path));
  VECC_TRY(const auto tables, bench_presets(options));
  VECC_TRY_VOID(write_data("", table_of(tables)));
  VECC_TRY_VOID(json.write(dump_json(json_of(tables)) + "\n"));
  return svg.write(draw_svg(tables));
}

}  // namespace

void add_presets(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand(
      "presets",
      "-O0, -O1, -O2 and every preset of lift-gathers beside PyTorch Geometric: forward, backward "
      "and both, on whole sets of small graphs");
  const auto options = std::make_shared<PresetsBenchOptions>();
  add_set_options(*command, options->data, options->models, options->dim);
  command
      ->add_option("--configurations", options->configurations,
                   "Only these: -O0, -O1, -O2, names of presets")
      ->delimiter(',')
      ->type_name("NAME,...");
  add_timing_options(*command, options->time);
  add_precision_option(*command, [options](MatmulPrecision precision) {
    options->time.execution.precision = precision;
  });
  add_peer_option(*command, options->python);
  command->add_option("--json", options->json_path, "Write every number to PATH")
      ->type_name("PATH");
  command->add_option("--svg", options->svg_path, "Draw every run to PATH")->type_name("PATH");
  command->callback([&body, options] { body = [options] { return run_presets(*options); }; });
}

}  // namespace vecc::tools
