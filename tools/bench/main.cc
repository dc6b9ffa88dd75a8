// vecc-bench: what vecc itself costs.
#include <CLI/CLI.hpp>
#include <optional>

#include "compile_bench.h"
#include "compile_report.h"
#include "tools/common/data_sink.h"
#include "tools/common/run_tool.h"
#include "tools/common/statistics.h"

namespace vecc::tools {
namespace {

constexpr const char* kFooter = R"(
Examples:
  vecc-bench compile datasets/mutagenesis.pb
  vecc-bench compile graph.pb --times=1,1000 --repeat=5 --json compile.json)";

Result<void> run_compile(const CompileBenchOptions& options) {
  std::optional<DataSink> json;  // opened first: minutes of measuring must not end in a bad path
  if (!options.json_path.empty()) {
    VECC_TRY(json, DataSink::open(options.json_path));
  }
  VECC_TRY(const auto rows, bench_compile(options));
  VECC_TRY_VOID(write_data("", table_of(rows)));
  if (!json) return {};
  json->write(dump_json(json_of(options, rows)) + "\n");
  return json->finish();
}

/// In the measured process: its numbers on stdout.
Result<void> run_compile_one(const std::string& path) {
  VECC_TRY(const CompileMeasurement measurement, measure_compile(path));
  return write_data("", dump_json(json_of(measurement), -1) + "\n");
}

void add_compile(CLI::App& app, CompileBenchOptions& options) {
  CLI::App* compile = app.add_subcommand(
      "compile",
      "Import + vectorize on one core: neurons a second and peak bytes an edge, for a graph "
      "repeated a few times over, each in fresh processes");
  compile->add_option("graph", options.input, "The graph")->required()->type_name("graph.pb");
  compile->add_option("--times", options.times, "How many copies of the graph")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N,N,...")
      ->capture_default_str();
  compile->add_option("--repeat", options.repeat, "Processes a size; the median counts")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  compile->add_option("--json", options.json_path, "Write every number to PATH")->type_name("PATH");
  compile->add_option("--temp", options.temporary_parent, "Where the repeated files go")
      ->type_name("FOLDER");
}

int bench_main(int argc, char** argv) {
  CLI::App app("Measures vecc.", "vecc-bench");
  app.footer(kFooter);
  app.set_version_flag("--version", "vecc-bench " VECC_VERSION, "Print the version and leave");
  app.require_subcommand(1);
  CompileBenchOptions options;
  add_compile(app, options);
  std::string one;
  CLI::App* compile_one = app.add_subcommand("compile-one", "")->group("");  // hidden
  compile_one->add_option("graph", one)->required();
  if (const auto code = parse_arguments(app, argc, argv)) return *code;
  const Result<void> result = compile_one->parsed() ? run_compile_one(one) : run_compile(options);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

}  // namespace
}  // namespace vecc::tools

int main(int argc, char** argv) {
  return vecc::tools::run_tool([&] { return vecc::tools::bench_main(argc, argv); });
}
