// vecc-bench train.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "tools/common/number_options.h"
#include "tools/common/precision_option.h"
#include "tools/common/statistics.h"
#include "train_bench.h"

namespace vecc::tools {
namespace {

Result<void> run_train(const TrainBenchOptions& options) {
  VECC_TRY_VOID(check_bench_paths(options.data, options.json_path));
  VECC_TRY(LateFile json, LateFile::open(options.json_path));
  VECC_TRY(const auto tables, bench_train(options));
  VECC_TRY_VOID(write_data("", table_of(tables)));
  return json.write(dump_json(json_of(tables)) + "\n");
}

}  // namespace

void add_train(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand(
      "train",
      "Epochs a second at -O0 and -O2 beside PyTorch Geometric's loop, on whole sets of small "
      "graphs: Adam on the cross-entropy of all samples, the loss read every epoch");
  const auto options = std::make_shared<TrainBenchOptions>();
  add_set_options(*command, options->data, options->models, options->dim);
  add_real(*command, "--lr", options->rate, RealRange::AboveZero, "Learning rate");
  add_timing_options(*command, options->time);
  add_precision_option(*command, [options](MatmulPrecision precision) {
    options->time.execution.precision = precision;
  });
  add_peer_option(*command, options->python);
  command->add_option("--json", options->json_path, "Write every number to PATH")
      ->type_name("PATH");
  command->callback([&body, options] { body = [options] { return run_train(*options); }; });
}

}  // namespace vecc::tools
