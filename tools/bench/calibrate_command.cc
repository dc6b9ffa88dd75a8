// vecc-bench calibrate.
#include <CLI/CLI.hpp>
#include <memory>

#include "calibrate_bench.h"
#include "command.h"
#include "tools/common/number_options.h"

namespace vecc::tools {

void add_calibrate(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand("calibrate",
                                         "Measure what a launch, a byte and a multiply-add cost on "
                                         "a device; kept in the cache folder, where -O2 finds it");
  const auto options = std::make_shared<CalibrateOptions>();
  add_timing_options(*command, options->time);
  add_whole(*command, "--most-rows", options->most_rows, {16, 1u << 24}, "Of the largest program");
  command->add_flag("!--no-save", options->save, "Only print");
  add_measurement(*command, body, BenchOutput::Json, [options]() -> Result<BenchReport> {
    VECC_TRY(const Calibration calibration, calibrate(*options));
    return BenchReport{table_of(calibration), json_of(calibration), {}};
  });
}

}  // namespace vecc::tools
