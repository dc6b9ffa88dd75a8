#include "run_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>

#include "bound_samples.h"
#include "commands.h"
#include "outputs.h"
#include "report.h"
#include "tools/common/command_paths.h"
#include "tools/common/logging.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/common/standard_streams.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr const char* kRunFooter = R"(
Examples:
  vecc train.pb --train --save-program=model.vecc
  vecc run model.vecc new.pb              outputs by sample: id, value, target
  vecc run model.vecc new.pb --json --repeat=100
  vecc run model.vecc new.pb --backend=cuda

The graph is of the program's template: same groups, functions, shapes and weights, other neurons.
It is bound to kernels that are compiled already; with --place, --gpu-memory or --host-memory it is
compiled as any other graph. docs/bind.md. Exit codes: those of vecc.)";

struct RunCommandLine {
  CLI::App app{"Outputs of a graph by a program that vecc --save-program wrote.", "vecc run"};
  Options options;
  std::string graph;
  std::string output;
  std::string device = "auto";

  RunCommandLine() {
    app.footer(kRunFooter);
    add_sample_options(app, options, device);
    app.remove_option(app.get_option("--load-weights"));
    app.remove_option(app.get_option("--loss"));
    app.remove_option(app.get_option("--eval-batch-size"));  // a bound graph runs as a whole
    app.remove_option(app.get_option("--group"));            // a program knows those of files
    app.get_option("graph")->description("A saved program (docs/bind.md)");
    allow_stdin(
        *app.add_option("new-graph", graph, "A graph of its template (docs/format.md); -: stdin")
             ->required()
             ->type_name("graph.pb"));
    add_whole(app, "--repeat", options.repeat, {1, 1'000'000'000},
              "Bind and run N times and print a table of the times");
    app.add_flag("--json", options.json, "Outputs, times and sizes as one JSON object");
    app.add_option("-o,--output", output, "Where to write them; default: stdout")
        ->type_name("FILE");
  }
  RunCommandLine(const RunCommandLine&) = delete;  // its options are referred to
  RunCommandLine& operator=(const RunCommandLine&) = delete;

  std::string finish() {
    CommandPaths paths;
    paths.add_input("the graph " + graph, graph);
    paths.add_output("-o " + output, output);
    std::string problem = paths.find_conflict();
    return problem.empty() ? check_sample_options(options, device, output) : problem;
  }
  [[nodiscard]] std::optional<DType> dtype() const {
    if (app.get_option("--dtype")->count() == 0) return std::nullopt;
    return options.dtype;
  }
};

Result<void> run_graph_of(const RunCommandLine& line, Stages& stages) {
  VECC_TRY(const BoundSamples bound, run_bound(line.options, line.graph, line.dtype(), stages));
  VECC_TRY(DataSink sink, DataSink::open(line.output));
  if (line.options.json) {
    const auto sizes = describe_sizes(bound.graph, sizes_of(bound.graph), nullptr, nullptr);
    write_outputs_json(sink, bound.graph, bound.execution,
                       describe_execution(bound.execution, stages, sizes));
  } else {
    const bool aligned = line.output.empty() && ::isatty(STDOUT_FILENO) == 1;
    write_outputs(sink, bound.graph, bound.execution, aligned);
  }
  VECC_TRY_VOID(sink.finish());
  Options named = line.options;
  named.input = line.graph;
  print_report(named, stages, &bound.execution);
  return {};
}

}  // namespace

int run_main(int argc, char** argv) {
  RunCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = line.finish();
  if (!problem.empty()) return report_usage("vecc run", problem);
  set_up_logging(line.options.quiet ? "off" : line.options.log_level);
  Stages stages(!line.options.quiet);
  const Result<void> result = run_graph_of(line, stages);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> run_command_line() {
  return app_of(std::make_shared<RunCommandLine>());
}

}  // namespace vecc::tools
