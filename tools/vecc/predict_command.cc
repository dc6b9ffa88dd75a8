#include "predict_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <utility>

#include "commands.h"
#include "learn/database_graph.h"
#include "learn/model_file.h"
#include "predictions.h"
#include "report.h"
#include "sample_command.h"
#include "src/support/quantity_text.h"
#include "tools/common/command_paths.h"
#include "tools/common/data_sink.h"
#include "tools/common/logging.h"
#include "tools/common/run_tool.h"
#include "vecc/batch_program.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr const char* kPredictFooter = R"(
Examples:
  vecc predict model.vecc new.db          rows of a database, by a model of vecc learn
  vecc predict new.pb --load-weights=w.safetensors
                                          sample, class, probability of each class; tabs between
  vecc predict new.pb --load-weights=w.safetensors --format=csv -o new.csv
  vecc predict graph.pb --load-weights=w.safetensors --split=test --format=json
  vecc predict new.pb --load-weights=w.safetensors --loss=softentropy
                                          raw outputs are logits: what that training made of them

Samples need no targets. Raw outputs that no --loss and no target calls classes are printed as
numbers. docs/predict.md. Exit codes: those of vecc.)";

const std::map<std::string, TableFormat>& formats() {
  static const std::map<std::string, TableFormat> kFormats{
      {"tsv", TableFormat::Tsv}, {"json", TableFormat::JsonObject}, {"csv", TableFormat::Csv}};
  return kFormats;
}

struct PredictCommandLine {
  CLI::App app{"What a graph's samples are predicted as, with the weights of a file.",
               "vecc predict"};
  Options options;
  std::string device = "auto";
  std::optional<SplitChoice> split;
  TableFormat format = TableFormat::Tsv;
  std::string path;
  sql::ImportDatabaseOptions database;  ///< its input is empty: samples are those of a graph

  PredictCommandLine() {
    app.footer(kPredictFooter);
    add_sample_options(app, options, device);
    app.get_option("graph")->description("A graph (docs/format.md), or a model of vecc learn");
    app.add_option("database", database.common.input,
                   "Whose rows the model predicts: an SQLite file, or a folder of CSV")
        ->type_name("FILE|DIR");
    app.add_option(
           "--task", database.samples.task,
           "The rows to predict, of a model that has a task, as CSV or a query: key and time")
        ->type_name("FILE|QUERY");
    app.add_flag_callback(
        "--json", [this] { format = TableFormat::JsonObject; }, "As --format=json");
    add_split_option(app, split, "all");
    app.add_option_function<std::string>(
           "--format", [this](const std::string& word) { format = formats().at(word); },
           "Of the lines")
        ->check(CLI::IsMember(formats()).description(""))
        ->type_name("tsv|json|csv")
        ->default_str("tsv");
    app.add_option("-o,--output", path, "Where to write them; default: stdout")->type_name("FILE");
  }
  PredictCommandLine(const PredictCommandLine&) = delete;  // its options are referred to
  PredictCommandLine& operator=(const PredictCommandLine&) = delete;
};

// A model and rows become a graph and its weights.
Result<std::optional<DatabaseGraph>> read_rows(PredictCommandLine& line, Stages& stages) {
  Options& options = line.options;
  if (line.database.common.input.empty()) return std::optional<DatabaseGraph>();
  VECC_TRY(const ModelFile model, read_model(options.input, {options.limits.max_input_bytes}));
  VECC_TRY_VOID(
      sql::set_trained(line.database, model.database, escape_terminal(options.input, 4096)));
  VECC_TRY(DatabaseGraph rows, import_rows(line.database, options, "vecc predict", stages));
  options.load_weights = options.input;
  options.input = rows.path;
  if (!options.training.loss) options.training.loss = model.loss;
  return std::optional<DatabaseGraph>(std::move(rows));
}

Result<void> predict(PredictCommandLine& line) {
  Options& options = line.options;
  Stages stages(!options.quiet);
  const std::string input = options.input;
  VECC_TRY(const std::optional<DatabaseGraph> rows, read_rows(line, stages));
  const auto all = [](const NeuronGraph&) { return SplitChoice::All; };
  VECC_TRY(SampleRun run, prepare_samples(options, line.split, all, stages));
  const Program part = BatchProgram(run.program).restrict_to(run.samples);
  VECC_TRY(const Execution execution,
           execute_program(run.graph, part, run.backend, options, stages));
  const Predictions predictions = make_predictions(run.graph, run.program, options.training.loss,
                                                   std::move(run.samples), execution.outputs);
  stages.run("predict", [](ProgressLine&) { return 0; });
  stages.describe(predictions.classes.empty()
                      ? "numbers"
                      : text_of_count(predictions.classes.size()) + " classes");
  const bool single = run.program.dtype() == DType::F32;
  VECC_TRY_VOID(write_data(line.path, text_of(predictions, run.graph, line.format, single)));
  options.input = input;
  print_report(options, stages, &execution);
  return {};
}

// What does not fit together; empty if all is well.
std::string check(PredictCommandLine& line) {
  const std::string& database = line.database.common.input;
  const Options& options = line.options;
  if (!database.empty() && !options.load_weights.empty()) {
    return "--load-weights is of a graph: a model has its weights";
  }
  if (database.empty() && !line.database.samples.task.empty()) return "--task needs a database";
  if (database.empty() && looks_like_model(options.input)) {
    return fmt::format("{0} is a model: whose rows? vecc predict {0} DATABASE",
                       escape_terminal(options.input, 4096));
  }
  CommandPaths paths;
  paths.add_input("the database " + database, database);
  paths.add_input("--task=" + line.database.samples.task, line.database.samples.task);
  paths.add_output("-o " + line.path, line.path);
  std::string problem = paths.find_conflict();
  return problem.empty() ? check_sample_options(line.options, line.device, line.path) : problem;
}

}  // namespace

int predict_main(int argc, char** argv) {
  PredictCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = check(line);
  if (!problem.empty()) return report_usage("vecc predict", problem);
  set_up_logging(line.options.quiet ? "off" : line.options.log_level);
  const Result<void> result = predict(line);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> predict_command_line() {
  return app_of(std::make_shared<PredictCommandLine>());
}

}  // namespace vecc::tools
