// vecc-bench large: graphs of many neurons from nothing to a trained epoch: seconds and peak memory
// of each stage.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "ground_graph.h"
#include "measure.h"
#include "src/graph/graph_outline.h"
#include "src/support/child_process.h"
#include "src/support/quantity_text.h"
#include "src/support/temporary_folder.h"
#include "time_program.h"
#include "timed_runs.h"
#include "tools/common/data_sink.h"
#include "tools/common/device_cost.h"
#include "tools/common/freed_memory.h"
#include "tools/common/interrupt.h"
#include "tools/common/memory_statement.h"
#include "tools/common/number_options.h"
#include "tools/common/statistics.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::tools {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFooter = R"(
Examples:
  vecc-bench large --threads=8 --json large.json
  vecc-bench large --case="synth-set --graphs=1000 --model=gin --dim=32" --temp=/data)";

struct LargeBenchOptions {
  // What vecc-import is asked for.
  std::vector<std::string> cases{"synth-set --graphs=100000 --model=gcn --dim=16",
                                 "synth --nodes=250000 --edges=1600000 --types=535 --degree=zipf "
                                 "--classes=16 --model=rgcn --dims=16,16"};
  TimeOptions time;
  std::string temporary_parent;
};

/// Seconds of each stage by name, and the peak of the process when it ended.
class StageClock {
 public:
  Result<void> end(const char* name) {
    VECC_TRY(const std::uint64_t peak, status_bytes("VmHWM"));
    peak_ = std::max(peak_, peak);  // Linux counts pages a CPU, so a later reading may be smaller
    stages_.push_back({{"stage", name}, {"seconds", seconds_since(start_)}, {"peak_bytes", peak_}});
    start_ = std::chrono::steady_clock::now();
    return {};
  }
  [[nodiscard]] const ordered_json& stages() const { return stages_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ordered_json stages_ = ordered_json::array();
  std::uint64_t peak_ = 0;
};

/// In the measured process: from the file to one epoch of all samples, Adam on the cross-entropy.
Result<ordered_json> train_once(const std::string& path, const TimeOptions& time) {
  VECC_TRY(const Backend* backend, backend_of(time));
  VECC_TRY(const DeviceCost cost, find_device_cost(*backend, time.execution));
  StageClock clock;
  ImportOptions import;
  import.threads = time.execution.threads;
  VECC_TRY(NeuronGraph graph, read_graph(path, import));
  VECC_TRY_VOID(clock.end("read"));
  VectorizeOptions vectorize_options;
  vectorize_options.threads = time.execution.threads;
  VECC_TRY(Vectorized vectorized, vectorize(graph, vectorize_options));
  const GraphSizes sizes = sizes_of(graph);
  forget_neurons(graph);  // as vecc does
  VECC_TRY_VOID(clock.end("vectorize"));
  TrainOptions training;
  training.loss.loss = Loss::CrossEntropy;
  training.schedule.base = 0.01;
  training.optimize.cost = cost.coefficients;
  training.optimize.threads = time.execution.threads;
  VECC_TRY(const Program program, optimize(std::move(vectorized.program), training.optimize));
  VECC_TRY_VOID(clock.end("optimize"));
  std::vector<std::uint32_t> samples(graph.samples.size());
  std::iota(samples.begin(), samples.end(), 0u);
  MemoryStatement memory(/*most=*/0, /*say=*/nullptr);
  VECC_TRY_VOID(memory.expect({}, /*copies=*/{}, /*copied=*/0));  // no evaluation, one epoch
  ExecutionOptions execution = time.execution;
  execution.check_plan = [&](const PlannedProgram& planned) {
    return memory.state(planned, &program);
  };
  VECC_TRY(const auto trainer,
           make_trainer(graph, program, *backend, execution, training, samples));
  VECC_TRY_VOID(clock.end("prepare"));
  return_freed_memory();  // as vecc does before it trains
  VECC_TRY_VOID(trainer->step());
  VECC_TRY(const double loss, trainer->epoch_loss());
  VECC_TRY_VOID(clock.end("epoch"));
  ordered_json row{{"device", cost.device},
                   {"neurons", sizes.neurons},
                   {"edges", sizes.edges},
                   {"loss", loss},
                   {"stages", clock.stages()}};
  std::string words;
  memory.describe(words, row);
  return row;
}

std::string text_of(const Device& device) {
  if (device.kind == Device::Kind::Auto) return "auto";
  return device.kind == Device::Kind::Cpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Writes the graph, measures it in a process of its own, removes it.
Result<ordered_json> bench_case(const LargeBenchOptions& options, const std::string& text,
                                const std::string& folder) {
  VECC_TRY(const std::string import, sibling("vecc-import"));
  const std::string path = folder + "/graph.pb";
  std::vector<std::string> words = words_of(text);
  words.insert(words.end(), {"--init=glorot", "--seed=1", "--quiet", "-o", path});
  say("{}: writing", text);
  const auto start = std::chrono::steady_clock::now();
  VECC_TRY_VOID(run_child({.file = import, .arguments = words}));
  ordered_json row{{"case", text},
                   {"write_seconds", seconds_since(start)},
                   {"file_bytes", std::filesystem::file_size(path)}};
  say("{}: to a trained epoch", text);
  const ExecutionOptions& execution = options.time.execution;
  VECC_TRY(const std::string json,
           run_child({.file = "/proc/self/exe",
                      .arguments = {"large-one", path, "--backend=" + options.time.backend,
                                    "--device=" + text_of(execution.device),
                                    fmt::format("--threads={}", execution.threads)}}));
  std::error_code ignored;  // the folder's end tries again
  std::filesystem::remove(path, ignored);
  row.update(ordered_json::parse(json));
  return row;
}

// Errors: those of vecc-import and of the measured process.
Result<ordered_json> bench_large(const LargeBenchOptions& options) {
  const DeferInterrupt defer;  // the folder below must go first
  const std::string parent = options.temporary_parent.empty()
                                 ? std::filesystem::temp_directory_path().string()
                                 : options.temporary_parent;
  VECC_TRY(const TemporaryFolder folder, TemporaryFolder::create(parent, "vecc-bench"));
  ordered_json rows = ordered_json::array();
  for (const std::string& text : options.cases) {
    if (interrupt_pending()) break;
    VECC_TRY(ordered_json row, bench_case(options, text, folder.path()));
    rows.push_back(std::move(row));
  }
  return rows;
}

// Of a backend that states none: empty.
std::string text_of_stated(const ordered_json& row, std::uint64_t measured) {
  if (!row.contains("memory")) return {};
  const ordered_json& memory = row.at("memory");
  const std::uint64_t stated = memory.at("peak_bytes");
  return fmt::format(
      "peak stated when the step was planned: {}, {:+.1f} % of the measured; "
      "then held: {}\n",
      text_of_bytes(stated),
      100 * (static_cast<double>(stated) / static_cast<double>(measured) - 1),
      text_of_bytes(memory.at("now_bytes")));
}

std::string table_of_stages(const ordered_json& rows) {
  std::string text;
  for (const ordered_json& row : rows) {
    const double neurons = row.at("neurons");
    text +=
        fmt::format("{}\n{}, {}, file {}, written in {}; {}\n", row.at("case").get<std::string>(),
                    text_of_count(row.at("neurons").get<std::uint64_t>(), "neuron"),
                    text_of_count(row.at("edges").get<std::uint64_t>(), "edge"),
                    text_of_bytes(row.at("file_bytes").get<std::uint64_t>()),
                    text_of_seconds(row.at("write_seconds")), row.at("device").get<std::string>());
    BenchTable table{
        {"stage", -10}, {"time", 10}, {"neurons/s", 14}, {"peak", 10}, {"peak B/neuron", 14}};
    double sum = 0;
    std::uint64_t peak = 0;
    const auto add = [&](const std::string& name, double seconds) {
      table.add({name, text_of_seconds(seconds),
                 text_of_count(static_cast<std::uint64_t>(neurons / seconds)), text_of_bytes(peak),
                 fmt::format("{:.0f}", static_cast<double>(peak) / neurons)});
    };
    for (const ordered_json& stage : row.at("stages")) {
      peak = stage.at("peak_bytes");
      sum += stage.at("seconds").get<double>();
      add(stage.at("stage"), stage.at("seconds"));
    }
    add("all", sum);
    text += table.text() + text_of_stated(row, peak) + '\n';
  }
  return text;
}

void add_large_one(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand("large-one", "")->group("");  // hidden
  const auto path = std::make_shared<std::string>();
  const auto time = std::make_shared<TimeOptions>();
  command->add_option("graph", *path)->required();
  add_backend_options(*command, *time);
  command->callback([&body, path, time] {
    body = [=]() -> Result<void> {
      VECC_TRY(const ordered_json json, train_once(*path, *time));
      return write_data("", dump_json(json, -1) + "\n");
    };
  });
}

}  // namespace

void add_large(CLI::App& app, CommandBody& body) {
  add_large_one(app, body);
  CLI::App* command = app.add_subcommand(
      "large",
      "Large graphs from the file to a trained epoch: seconds and peak memory of each stage, each "
      "graph in a process of its own");
  command->footer(kFooter);
  const auto options = std::make_shared<LargeBenchOptions>();
  options->time.backend = "cpu";
  command
      ->add_option("--case", options->cases, "What vecc-import is asked for: a graph with classes")
      ->type_name("WORDS")
      ->default_str("a set of random graphs of 16 M neurons, a typed graph of 2 M");
  add_backend_options(*command, options->time);
  command->add_option("--temp", options->temporary_parent, "Where the graphs go")
      ->type_name("FOLDER");
  add_measurement(*command, body, BenchOutput::Json, [options]() -> Result<BenchReport> {
    VECC_TRY(const ordered_json rows, bench_large(*options));
    return BenchReport{table_of_stages(rows), {{"benchmark", "large"}, {"rows", rows}}, {}};
  });
}

}  // namespace vecc::tools
