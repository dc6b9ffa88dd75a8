// vecc-bench train: epochs a second beside the loop that a user of PyTorch Geometric writes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "command.h"
#include "ground_graph.h"
#include "pyg_times.h"
#include "src/support/quantity_text.h"
#include "timed_runs.h"
#include "tools/common/device_cost.h"
#include "tools/common/number_options.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::tools {
namespace {

struct TrainBenchOptions {
  SetBenchOptions sets{.models = {"gcn"}};  // warm-up and repeats: epochs
  double rate = 0.01;
};

// One loop: Adam on the cross-entropy of all samples, the loss read every epoch.
struct TrainRow {
  std::string name;  // "-O0", "-O2", "PyG"
  std::string device;
  TimedRuns epoch;             // seconds of each
  double first_loss = 0;       // before the first step
  double last_loss = 0;        // before the last one
  double compile_seconds = 0;  // from the vectorized Program to the first step; 0: the peer
};
struct TrainTable {
  std::string set;
  std::string model;
  std::vector<TrainRow> rows;
};

// What both loops do.
TrainOptions training_of(const TrainBenchOptions& options, const OptimizeOptions& optimize) {
  TrainOptions training;
  training.loss.loss = Loss::CrossEntropy;
  training.schedule.base = options.rate;
  training.optimize = optimize;
  return training;
}

Result<TrainRow> time_epochs(const TrainBenchOptions& options, const NeuronGraph& graph,
                             const Program& vectorized, const Backend& backend,
                             const DeviceCost& cost, std::uint32_t level) {
  TrainRow row;
  row.name = fmt::format("-O{}", level);
  row.device = cost.device;
  OptimizeOptions optimize_options;
  optimize_options.level = level;
  optimize_options.cost = cost.coefficients;
  const auto compile_start = std::chrono::steady_clock::now();
  VECC_TRY(const Program program, optimize(vectorized, optimize_options));
  std::vector<std::uint32_t> samples(graph.samples.size());
  std::iota(samples.begin(), samples.end(), 0u);
  VECC_TRY(const auto trainer, make_trainer(graph, program, backend, options.sets.time.execution,
                                            training_of(options, optimize_options), samples));
  row.compile_seconds = seconds_since(compile_start);
  row.epoch.warmup = options.sets.time.warmup;
  for (std::uint32_t i = 0; i < options.sets.time.warmup + options.sets.time.repeat; ++i) {
    if (interrupt_pending()) break;
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(trainer->step());
    VECC_TRY(row.last_loss, trainer->epoch_loss());
    row.epoch.seconds.push_back(seconds_since(start));
    if (i == 0) row.first_loss = row.last_loss;
  }
  return row;
}

Result<TrainRow> time_peer_epochs(const TrainBenchOptions& options, const std::string& data,
                                  const std::string& model, bool on_cpu) {
  VECC_TRY(const nlohmann::json json, time_pyg(options.sets, data, model, on_cpu, "epoch",
                                               {"--train", fmt::format("--lr={}", options.rate)}));
  TrainRow row;
  row.name = "PyG";
  row.device = json.at("device");
  row.epoch = {options.sets.time.warmup, json.at("epoch").get<std::vector<double>>()};
  row.first_loss = json.at("loss").front();
  row.last_loss = json.at("loss").back();
  return row;
}

Result<TrainTable> bench_set(const TrainBenchOptions& options, const std::string& data,
                             const std::string& model) {
  TrainTable table{set_name(data), model, {}};
  VECC_TRY(const NeuronGraph graph, ground_set(data, model, options.sets.dim));
  VECC_TRY(const Vectorized vectorized, vectorize(graph));
  VECC_TRY(const Backend* backend, backend_of(options.sets.time));
  VECC_TRY(const DeviceCost cost, find_device_cost(*backend, options.sets.time.execution));
  for (const std::uint32_t level : {0u, 2u}) {
    say("{} {}: -O{}", table.set, model, level);
    VECC_TRY(table.rows.emplace_back(),
             time_epochs(options, graph, vectorized.program, *backend, cost, level));
  }
  if (options.sets.python.empty() || interrupt_pending()) return table;
  say("{} {}: PyG", table.set, model);
  const bool on_cpu = table.rows.front().device == "cpu";
  VECC_TRY(table.rows.emplace_back(), time_peer_epochs(options, data, model, on_cpu));
  return table;
}

// Errors: those of the stages and of make_trainer(); DeviceFailure if vecc-import or the peer
// fails.
Result<std::vector<TrainTable>> bench_train(const TrainBenchOptions& options) {
  return bench_sets<TrainTable>(options.sets,
                                [&](const std::string& data, const std::string& model) {
                                  return bench_set(options, data, model);
                                });
}

// The loop was not interrupted in its warm-up.
bool is_measured(const TrainRow& row) {
  return row.epoch.seconds.size() > row.epoch.warmup;
}

std::string table_of(const TrainTable& table) {
  BenchTable text{{"loop", -8},   {"compile", 10},    {"epoch", 12},    {"epochs/s", 12},
                  {"epochs", 12}, {"first loss", 10}, {"last loss", 10}};
  for (const TrainRow& row : table.rows) {
    if (!is_measured(row)) continue;
    const double median = row.epoch.steady().median;
    text.add({row.name, row.compile_seconds > 0 ? text_of_seconds(row.compile_seconds) : "-",
              text_of_seconds(median), fmt::format("{:.1f}", 1 / median),
              text_of_count(row.epoch.seconds.size()), fmt::format("{:.5f}", row.first_loss),
              fmt::format("{:.5f}", row.last_loss)});
  }
  return fmt::format("{} {}, {}\n{}\n", table.set, table.model,
                     table.rows.empty() ? "" : table.rows.front().device, text.text());
}

nlohmann::ordered_json json_of(const TrainTable& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const TrainRow& row : table.rows) {
    if (!is_measured(row)) continue;
    rows.push_back({{"loop", row.name},
                    {"device", row.device},
                    {"compile_seconds", row.compile_seconds},
                    {"epoch", json_of(row.epoch)},
                    {"first_loss", row.first_loss},
                    {"last_loss", row.last_loss}});
  }
  return {{"set", table.set}, {"model", table.model}, {"rows", rows}};
}

}  // namespace

void add_train(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand(
      "train",
      "Epochs a second at -O0 and -O2 beside PyTorch Geometric's loop, on whole sets of small "
      "graphs: Adam on the cross-entropy of all samples, the loss read every epoch");
  const auto options = std::make_shared<TrainBenchOptions>();
  add_set_options(*command, options->sets);
  add_real(*command, "--lr", options->rate, RealRange::AboveZero, "Learning rate");
  add_peer_options(*command, options->sets);
  add_measurement(
      *command, body, BenchOutput::Json,
      [options]() -> Result<BenchReport> {
        VECC_TRY(const auto tables, bench_train(*options));
        return report_of<TrainTable>(tables, table_of, json_of);
      },
      [options] { return options->sets.data; });
}

}  // namespace vecc::tools
