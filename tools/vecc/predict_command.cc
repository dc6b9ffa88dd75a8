#include "predict_command.h"

#include <CLI/CLI.hpp>
#include <map>

#include "commands.h"
#include "predictions.h"
#include "report.h"
#include "sample_command.h"
#include "src/support/quantity_text.h"
#include "tools/common/data_sink.h"
#include "tools/common/logging.h"
#include "tools/common/run_tool.h"
#include "vecc/batch_program.h"

namespace vecc::tools {
namespace {

constexpr const char* kPredictFooter = R"(
Examples:
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

  PredictCommandLine() {
    app.footer(kPredictFooter);
    add_sample_options(app, options, device);
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

Result<void> predict(const PredictCommandLine& line) {
  const Options& options = line.options;
  Stages stages(!options.quiet);
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
  print_report(options, stages, &execution);
  return {};
}

}  // namespace

int predict_main(int argc, char** argv) {
  PredictCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = check_sample_options(line.options, line.device, line.path);
  if (!problem.empty()) return report_usage("vecc predict", problem);
  set_up_logging(line.options.quiet ? "off" : line.options.log_level);
  const Result<void> result = predict(line);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> predict_command_line() {
  return app_of(std::make_shared<PredictCommandLine>());
}

}  // namespace vecc::tools
