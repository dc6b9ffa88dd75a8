// vecc-bench compile: import, vectorize and optimize of a graph repeated a few times over.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "command.h"
#include "measure.h"
#include "src/support/child_process.h"
#include "src/support/quantity_text.h"
#include "src/support/temporary_folder.h"
#include "tools/common/data_sink.h"
#include "tools/common/interrupt.h"
#include "tools/common/number_options.h"
#include "tools/common/statistics.h"
#include "vecc/graph_io.h"

namespace vecc::tools {
namespace {

struct CompileBenchOptions {
  std::string input;
  std::vector<std::uint32_t> times{1, 10, 100};  // copies of the graph
  std::uint32_t repeat = 3;                      // fresh processes a size
  std::uint32_t level = 2;                       // -O
  std::string temporary_parent;                  // where the repeated files go
};

// One size: the medians over its runs.
struct CompileRow {
  std::uint32_t times = 0;
  CompileMeasurement median;
  double neurons_per_second = 0;
  std::vector<CompileMeasurement> runs;
};

// The middle one (of an even number, the lower of the two). `value`: a field or a method.
template <class Value>
auto median_of(const std::vector<CompileMeasurement>& runs, Value value) {
  std::vector<std::decay_t<std::invoke_result_t<Value, const CompileMeasurement&>>> values;
  for (const CompileMeasurement& run : runs) values.push_back(std::invoke(value, run));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

CompileRow summarize(std::uint32_t times, std::vector<CompileMeasurement> runs) {
  using M = CompileMeasurement;
  CompileRow row{times, runs.front(), median_of(runs, &M::neurons_per_second), {}};
  for (const auto seconds : {&M::import_seconds, &M::vectorize_seconds, &M::optimize_seconds}) {
    row.median.*seconds = median_of(runs, seconds);
  }
  row.median.peak_bytes = median_of(runs, &M::peak_bytes);
  row.runs = std::move(runs);
  return row;
}

Result<CompileRow> bench_size(const std::string& path, const CompileBenchOptions& options,
                              std::uint32_t times) {
  std::vector<CompileMeasurement> runs;
  for (std::uint32_t i = 0; i < options.repeat; ++i) {
    say("{} x: run {} of {}", times, i + 1, options.repeat);
    VECC_TRY(const std::string text,
             run_child({.file = "/proc/self/exe",
                        .arguments = {"compile-one", path, fmt::format("-O{}", options.level)}}));
    if (interrupt_pending()) break;
    runs.push_back(measurement_of(nlohmann::ordered_json::parse(text)));
  }
  if (runs.empty()) return Errors(ErrorCode::DeviceFailure, "vecc-bench", "interrupted");
  return summarize(times, std::move(runs));
}

// Writes each repeated file, measures it in fresh processes, removes it. Says what it does on
// stderr. Errors: those of import, writing and the measured processes.
Result<std::vector<CompileRow>> bench_compile(const CompileBenchOptions& options) {
  const DeferInterrupt defer;  // the folder below must go first
  const std::string parent = options.temporary_parent.empty()
                                 ? std::filesystem::temp_directory_path().string()
                                 : options.temporary_parent;
  VECC_TRY(const NeuronGraph graph, read_graph(options.input));
  VECC_TRY(const TemporaryFolder folder, TemporaryFolder::create(parent, "vecc-bench"));
  std::vector<CompileRow> rows;
  for (const std::uint32_t times : options.times) {
    if (interrupt_pending()) break;
    const std::string path = fmt::format("{}/x{}.pb", folder.path(), times);
    say("{} x: writing", times);
    VECC_TRY_VOID(write_graph(graph, path, Compression::None, times));
    VECC_TRY(CompileRow row, bench_size(path, options, times));
    rows.push_back(std::move(row));
    std::error_code ignored;  // the folder's end tries again
    std::filesystem::remove(path, ignored);
  }
  return rows;
}

double per_edge(std::uint64_t bytes, const CompileMeasurement& m) {
  return static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(m.edges, 1));
}

std::string table_of(const std::vector<CompileRow>& rows) {
  BenchTable text{{"copies", 6},       {"neurons", 12},     {"edges", 12},     {"import s", 10},
                  {"vectorize s", 12}, {"optimize s", 12},  {"rows left", 12}, {"neurons/s", 12},
                  {"peak B/edge", 12}, {"graph B/edge", 12}};
  const auto seconds = [](double s) { return fmt::format("{:.4f}", s); };
  for (const CompileRow& row : rows) {
    const CompileMeasurement& m = row.median;
    text.add({std::to_string(row.times), text_of_count(m.neurons), text_of_count(m.edges),
              seconds(m.import_seconds), seconds(m.vectorize_seconds), seconds(m.optimize_seconds),
              text_of_count(m.optimized_rows),
              text_of_count(static_cast<std::uint64_t>(row.neurons_per_second)),
              fmt::format("{:.1f}", per_edge(m.peak_bytes, m)),
              fmt::format("{:.1f}", per_edge(m.graph_bytes, m))});
  }
  return text.text();
}

// {"benchmark": "compile", "input", "rows": [{"times", "neurons", ..., "runs": [...]}]}
nlohmann::ordered_json json_of(const CompileBenchOptions& options,
                               const std::vector<CompileRow>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CompileRow& row : rows) {
    const CompileMeasurement& m = row.median;
    nlohmann::ordered_json entry{{"times", row.times}};
    entry.update(json_of(m));
    entry["neurons_per_second"] = row.neurons_per_second;
    entry["peak_bytes_per_edge"] = per_edge(m.peak_bytes, m);
    entry["graph_bytes_per_edge"] = per_edge(m.graph_bytes, m);
    entry["runs"] = nlohmann::ordered_json::array();
    for (const CompileMeasurement& run : row.runs) entry["runs"].push_back(json_of(run));
    list.push_back(std::move(entry));
  }
  return {{"benchmark", "compile"},
          {"input", options.input},
          {"cpus", 1},
          {"repeat", options.repeat},
          {"rows", list}};
}

/// In the measured process: its numbers on stdout.
Result<void> run_compile_one(const std::string& path, std::uint32_t level) {
  VECC_TRY(const CompileMeasurement measurement, measure_compile(path, level));
  return write_data("", dump_json(json_of(measurement), -1) + "\n");
}

void add_compile_one(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand("compile-one", "")->group("");  // hidden
  const auto path = std::make_shared<std::string>();
  const auto level = std::make_shared<std::uint32_t>(2);
  command->add_option("graph", *path)->required();
  add_whole(*command, "-O", *level, {0, 3}, "");
  command->callback(
      [&body, path, level] { body = [=] { return run_compile_one(*path, *level); }; });
}

}  // namespace

void add_compile(CLI::App& app, CommandBody& body) {
  add_compile_one(app, body);
  CLI::App* command = app.add_subcommand(
      "compile",
      "Import, vectorize and optimize on one core: neurons a second and peak bytes an edge, for a "
      "graph repeated a few times over, each in fresh processes");
  const auto options = std::make_shared<CompileBenchOptions>();
  command->add_option("graph", options->input, "The graph")->required()->type_name("graph.pb");
  add_wholes(*command, "--times", options->times, {1, 1'000'000}, "How many copies of the graph")
      ->default_str(fmt::format("{}", fmt::join(options->times, ",")));
  add_whole(*command, "--repeat", options->repeat, {1, 1000},
            "Processes a size; the median counts");
  add_whole(*command, "-O", options->level, {0, 2}, "Optimization level")->type_name("LEVEL");
  command->add_option("--temp", options->temporary_parent, "Where the repeated files go")
      ->type_name("FOLDER");
  add_measurement(
      *command, body, BenchOutput::Json,
      [options]() -> Result<BenchReport> {
        VECC_TRY(const auto rows, bench_compile(*options));
        return BenchReport{table_of(rows), json_of(*options, rows), {}};
      },
      [options] { return std::vector<std::string>{options->input}; });
}

}  // namespace vecc::tools
