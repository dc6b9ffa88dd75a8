#include "evaluate_command.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "commands.h"
#include "evaluate_samples.h"
#include "report.h"
#include "sample_command.h"
#include "src/support/value_text.h"
#include "tools/common/data_sink.h"
#include "tools/common/logging.h"
#include "tools/common/memory_statement.h"
#include "tools/common/run_tool.h"
#include "tools/common/statistics.h"
#include "weights_commands.h"

namespace vecc::tools {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kEvaluateFooter = R"(
Examples:
  vecc evaluate test.pb --load-weights=w.safetensors
                                          loss and metrics of the samples marked for tests, or
                                          of all where none is
  vecc evaluate graph.pb --load-weights=w.safetensors --split=validation --json
  vecc evaluate graph.pb --load-weights=w.safetensors --loss=softentropy
                                          where the training had that loss by option

A line a metric on stdout: its name and its value. docs/predict.md says what each is.
Exit codes: those of vecc.)";

struct EvaluateCommandLine {
  CLI::App app{"Loss and metrics of a graph's samples with the weights of a file.",
               "vecc evaluate"};
  Options options;
  std::string device = "auto";
  std::optional<SplitChoice> split;

  EvaluateCommandLine() {
    app.footer(kEvaluateFooter);
    add_sample_options(app, options, device);
    add_split_option(app, split, "test where the graph marks samples so, else all");
    app.add_flag("--json", options.json, "As one JSON object, with times and sizes");
  }
  EvaluateCommandLine(const EvaluateCommandLine&) = delete;  // its options are referred to
  EvaluateCommandLine& operator=(const EvaluateCommandLine&) = delete;
};

Result<void> print_text(const SampleEvaluation& found) {
  std::vector<std::vector<std::string>> lines{{"metric", "value"}};
  lines.push_back({"samples", std::to_string(found.evaluation.metrics.samples)});
  const auto add = [&](std::string_view name, double value) {
    lines.push_back({std::string(name), text_of_number(value, /*single=*/false)});
  };
  if (!std::isnan(found.evaluation.loss)) add("loss", found.evaluation.loss);
  for (const auto& [name, value] : values_of(found.evaluation.metrics)) add(name, value);
  return print_table(lines);
}

Result<void> print_json(const SampleRun& run, const SampleEvaluation& found, const Stages& stages) {
  Json metrics = Json::object();
  const double loss = found.evaluation.loss;
  metrics["loss"] = std::isfinite(loss) ? Json(loss) : Json();
  for (const auto& [name, value] : values_of(found.evaluation.metrics)) metrics[name] = value;
  const Json result{{"split", text_of(run.split)},
                    {"samples", found.evaluation.metrics.samples},
                    {"loss_function", text_of(found.loss)},
                    {"output_function", text_of(output_function(run.program))},
                    {"metrics", std::move(metrics)},
                    {"backend", run.backend.backend->name()},
                    {"dtype", text_of(run.program.dtype())},
                    {"stages", stages.json()},
                    {"vecc", VECC_VERSION}};
  return write_data("", dump_json(result, 2) + "\n");
}

Result<void> evaluate(const Options& options, std::optional<SplitChoice> split) {
  Stages stages(!options.quiet);
  VECC_TRY(const SampleRun run, prepare_samples(options, split, tested_split, stages));
  MemoryStatement memory(options.host_memory, says_memory(options));
  ExecutionOptions execution = execution_options(options);
  VECC_TRY_VOID(check_places(execution.places, run.program, /*of_steps=*/false));
  execution.check_plan = [&](const PlannedProgram& planned) {
    return memory.state(planned, &run.program);
  };
  VECC_TRY(const SampleEvaluation found, stages.run("evaluate", [&](ProgressLine&) {
    return evaluate_samples(run.graph, run.program, *run.backend.backend, execution,
                            options.training.loss, run.samples, options.eval_batch_size);
  }));
  std::string words = found.describe(run.program, run.split);
  Json numbers{{"samples", run.samples.size()}};
  memory.describe(words, numbers);
  stages.describe(std::move(words), std::move(numbers));
  VECC_TRY_VOID(options.json ? print_json(run, found, stages) : print_text(found));
  print_report(options, stages, nullptr);
  return {};
}

}  // namespace

int evaluate_main(int argc, char** argv) {
  EvaluateCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = check_sample_options(line.options, line.device, "");
  if (!problem.empty()) return report_usage("vecc evaluate", problem);
  set_up_logging(line.options.quiet ? "off" : line.options.log_level);
  const Result<void> result = evaluate(line.options, line.split);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> evaluate_command_line() {
  return app_of(std::make_shared<EvaluateCommandLine>());
}

}  // namespace vecc::tools
