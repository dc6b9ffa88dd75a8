// vecc-bench calibrate.
#include <CLI/CLI.hpp>
#include <memory>

#include "calibrate_bench.h"
#include "commands.h"
#include "tools/common/number_options.h"
#include "tools/common/statistics.h"

namespace vecc::tools {
namespace {

Result<void> run_calibrate(const CalibrateOptions& options) {
  VECC_TRY_VOID(check_bench_paths({}, options.json_path));
  VECC_TRY(LateFile json, LateFile::open(options.json_path));
  VECC_TRY(const Calibration calibration, calibrate(options));
  VECC_TRY_VOID(write_data("", table_of(calibration)));
  return json.write(dump_json(json_of(calibration)) + "\n");
}

}  // namespace

void add_calibrate(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand("calibrate",
                                         "Measure what a launch, a byte and a multiply-add cost on "
                                         "a device; kept in the cache folder, where -O2 finds it");
  const auto options = std::make_shared<CalibrateOptions>();
  add_timing_options(*command, options->time);
  add_whole(*command, "--most-rows", options->most_rows, {16, 1u << 24}, "Of the largest program");
  command->add_flag("!--no-save", options->save, "Only print");
  command->add_option("--json", options->json_path, "Write every number to PATH")
      ->type_name("PATH");
  command->callback([&body, options] { body = [options] { return run_calibrate(*options); }; });
}

}  // namespace vecc::tools
