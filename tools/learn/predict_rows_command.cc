#include "tools/learn/predict_rows_command.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "tools/common/logging.h"
#include "tools/common/run_tool.h"
#include "tools/learn/database_graph.h"
#include "tools/learn/model_file.h"
#include "tools/vecc/commands.h"
#include "tools/vecc/predict_options.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

// A model and rows become a graph and its weights.
Result<DatabaseGraph> read_rows(PredictOptions& options, Stages& stages) {
  Options& run = options.run;
  VECC_TRY(const ModelFile model, read_model(run.input, {run.limits.max_input_bytes}));
  sql::ImportDatabaseOptions database;
  database.common.input = options.database;
  database.samples.task = options.task;
  database.samples.asks_for_split = options.split && *options.split != SplitChoice::All;
  VECC_TRY_VOID(sql::set_trained(database, model.database, escape_terminal(run.input, 4096)));
  VECC_TRY(DatabaseGraph rows, import_rows(database, run, "vecc predict", stages));
  run.load_weights = run.input;
  run.input = rows.path;
  if (!run.training.loss) run.training.loss = model.loss;
  return rows;
}

Result<void> predict_rows(PredictOptions& options) {
  Stages stages(!options.run.quiet);
  const std::string model = options.run.input;
  VECC_TRY(const DatabaseGraph rows, read_rows(options, stages));
  return predict_samples(options, model, stages);
}

}  // namespace

int predict_rows_main(int argc, char** argv) {
  PredictCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  std::string problem = line.finish();
  if (problem.empty() && line.options.database.empty()) {
    problem = "a database is missing: vecc predict reads graphs, vecc-learn does not";
  }
  if (!problem.empty()) return report_usage("vecc predict", problem);
  set_up_logging(line.options.run.quiet ? "off" : line.options.run.log_level);
  const Result<void> result = predict_rows(line.options);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> predict_rows_command_line() {
  return app_of(std::make_shared<PredictCommandLine>());
}

}  // namespace vecc::tools
