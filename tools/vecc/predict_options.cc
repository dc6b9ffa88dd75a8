#include "predict_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

#include "bound_samples.h"
#include "graph_stages.h"
#include "model_mark.h"
#include "report.h"
#include "sample_command.h"
#include "src/support/quantity_text.h"
#include "tools/common/command_paths.h"
#include "tools/common/data_sink.h"
#include "vecc/batch_program.h"
#include "vecc/escape.h"
#include "vecc/template.h"

namespace vecc::tools {
namespace {

constexpr const char* kPredictFooter = R"(
Examples:
  vecc predict model.vecc new.db          rows of a database, by a model of vecc learn
  vecc predict model.vecc new.pb          samples of a graph, by a program of --save-program
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

}  // namespace

PredictCommandLine::PredictCommandLine()
    : app("What a graph's samples are predicted as, with the weights of a file.", "vecc predict") {
  app.footer(kPredictFooter);
  add_sample_options(app, options.run, device);
  app.get_option("graph")->description(
      "A graph (docs/format.md), a saved program (docs/bind.md), or a model of vecc learn");
  app.add_option("database", options.database,
                 "A graph of the saved program's template; or whose rows the model predicts: an "
                 "SQLite file, or a folder of CSV or Parquet")
      ->type_name("graph.pb|FILE|DIR");
  app.add_option("--task", options.task,
                 "The rows to predict, of a model that has a task, as CSV or a query: key and time")
      ->type_name("FILE|QUERY");
  CLI::Option* const json = app.add_flag_callback(
      "--json", [this] { options.format = TableFormat::JsonObject; }, "As --format=json");
  add_split_option(app, options.split, "all");
  app.add_option_function<std::string>(
         "--format", [this](const std::string& word) { options.format = formats().at(word); },
         "Of the lines")
      ->check(CLI::IsMember(formats()).description(""))
      ->type_name("tsv|json|csv")
      ->default_str("tsv")
      ->excludes(json);
  app.add_option("-o,--output", options.output, "Where to write them; default: stdout")
      ->type_name("FILE");
}

std::string PredictCommandLine::finish() {
  const std::string& database = options.database;
  if (app.get_option("--dtype")->count() > 0) options.dtype = options.run.dtype;
  if (Template::looks_like_one(options.run.input)) {
    if (database.empty()) {
      return fmt::format("{0} is a saved program: of which graph? vecc predict {0} graph.pb",
                         escape_terminal(options.run.input, 4096));
    }
    if (!options.run.load_weights.empty()) {
      return "--load-weights is of a graph: a saved program has its weights";
    }
    if (options.run.eval_batch_size > 0) {
      return "--eval-batch-size is of a graph: a saved program runs all samples of one at once";
    }
    if (!options.task.empty()) return "--task needs a model of vecc learn";
    options.new_graph = std::exchange(options.database, "");
    CommandPaths paths;
    paths.add_input("the graph " + options.new_graph, options.new_graph);
    paths.add_output("-o " + options.output, options.output);
    std::string problem = paths.find_conflict();
    return problem.empty() ? check_sample_options(options.run, device, options.output) : problem;
  }
  if (!database.empty() && !options.run.load_weights.empty()) {
    return "--load-weights is of a graph: a model has its weights";
  }
  if (database.empty() && !options.task.empty()) return "--task needs a database";
  if (database.empty() && looks_like_model(options.run.input)) {
    return fmt::format("{0} is a model: whose rows? vecc predict {0} DATABASE",
                       escape_terminal(options.run.input, 4096));
  }
  CommandPaths paths;
  paths.add_input("the database " + database, database);
  paths.add_input("--task=" + options.task, options.task);
  paths.add_output("-o " + options.output, options.output);
  std::string problem = paths.find_conflict();
  return problem.empty() ? check_sample_options(options.run, device, options.output) : problem;
}

Result<void> predict_bound(PredictOptions& options, Stages& stages) {
  Options& o = options.run;
  VECC_TRY(const BoundSamples bound, run_bound(o, options.new_graph, options.dtype, stages));
  VECC_TRY(auto samples, choose_samples(bound.graph, options.split.value_or(SplitChoice::All)));
  // What outputs are is read from the Program, which is not run.
  VECC_TRY(const Vectorized vectorized, vectorize_graph(bound.graph, o, stages));
  std::vector<Executable::Output> outputs;
  for (const std::uint32_t s : samples) outputs.push_back(bound.execution.outputs[s]);
  const std::optional<Loss> loss = o.training.loss ? o.training.loss : parse_loss(bound.loss);
  const Predictions predictions =
      make_predictions(bound.graph, vectorized.program, loss, std::move(samples), outputs);
  const bool single = bound.execution.dtype == DType::F32;
  VECC_TRY_VOID(
      write_data(options.output, text_of(predictions, bound.graph, options.format, single)));
  o.input = options.new_graph;
  print_report(o, stages, &bound.execution);
  return {};
}

Result<void> predict_samples(PredictOptions& options, const std::string& input, Stages& stages) {
  Options& o = options.run;
  const auto all = [](const NeuronGraph&) { return SplitChoice::All; };
  VECC_TRY(SampleRun run, prepare_samples(o, options.split, all, stages));
  const Program part = BatchProgram(run.program).restrict_to(run.samples);
  VECC_TRY(const Execution execution, execute_program(run.graph, part, run.backend, o, stages));
  const Predictions predictions = make_predictions(run.graph, run.program, o.training.loss,
                                                   std::move(run.samples), execution.outputs);
  stages.run("predict", [](ProgressLine&) { return 0; });
  stages.describe(predictions.classes.empty()
                      ? "numbers"
                      : text_of_count(predictions.classes.size()) + " classes");
  const bool single = run.program.dtype() == DType::F32;
  VECC_TRY_VOID(
      write_data(options.output, text_of(predictions, run.graph, options.format, single)));
  o.input = input;
  print_report(o, stages, &execution);
  return {};
}

}  // namespace vecc::tools
