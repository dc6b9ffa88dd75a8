#include "train_bench.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>

#include "command.h"
#include "ground_graph.h"
#include "tools/common/device_cost.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::tools {
namespace {

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

}  // namespace

Result<std::vector<TrainTable>> bench_train(const TrainBenchOptions& options) {
  return bench_sets<TrainTable>(options.sets,
                                [&](const std::string& data, const std::string& model) {
                                  return bench_set(options, data, model);
                                });
}

}  // namespace vecc::tools
