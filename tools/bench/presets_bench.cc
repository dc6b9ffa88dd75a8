#include "presets_bench.h"

#include <fmt/format.h>

#include <chrono>

#include "command.h"
#include "ground_graph.h"
#include "tools/common/device_cost.h"

namespace vecc::tools {
namespace {

std::vector<std::string> all_configurations() {
  std::vector<std::string> names{"-O0", "-O1", "-O2"};
  for (const GatherPreset& preset : gather_presets()) names.emplace_back(preset.name);
  return names;
}

// A configuration's row without its times, and the program to time.
Result<Program> optimize_row(const Program& program, const std::string& name,
                             const CostCoefficients& cost, PresetRow& row) {
  row.configuration = name;
  VECC_TRY(OptimizeOptions options, configuration_of(name));
  options.cost = cost;
  const auto start = std::chrono::steady_clock::now();
  VECC_TRY(Program optimized, optimize(program, options));
  row.optimize_seconds = seconds_since(start);
  const ProgramStatistics s = statistics(optimized);
  row.ops = s.ops;
  row.rows = s.rows;
  row.predicted_seconds = predict_seconds(optimized, cost);
  return optimized;
}

RunSeries series_of(const nlohmann::json& seconds, std::uint32_t warmup) {
  return {warmup, seconds.get<std::vector<double>>()};
}

Result<PresetRow> time_peer(const PresetsBenchOptions& options, const std::string& data,
                            const std::string& model, bool on_cpu) {
  VECC_TRY(const nlohmann::json json, time_pyg(options.sets, data, model, on_cpu, "both"));
  const std::uint32_t warmup = options.sets.time.warmup;
  PresetRow row;
  row.configuration = "PyG";
  row.peer = true;
  row.times.device = json.at("device");
  row.times.forward = series_of(json.at("forward"), warmup);
  row.times.backward = series_of(json.at("backward"), warmup);
  row.times.both = series_of(json.at("both"), warmup);
  return row;
}

Result<PresetTable> bench_one(const PresetsBenchOptions& options, const CostCoefficients& cost,
                              const std::string& data, const std::string& model) {
  PresetTable table;
  table.set = set_name(data);
  table.model = model;
  VECC_TRY(const Program program, ground_graph(data, model, options.sets.dim));
  const auto names = options.configurations.empty() ? all_configurations() : options.configurations;
  std::vector<Program> optimized;
  for (const std::string& name : names) {
    if (interrupt_pending()) break;
    say("{} {}: {}", table.set, model, name);
    VECC_TRY(optimized.emplace_back(),
             optimize_row(program, name, cost, table.rows.emplace_back()));
  }
  if (optimized.empty()) return table;
  say("{} {}: runs", table.set, model);
  std::vector<const Program*> programs;
  for (const Program& p : optimized) programs.push_back(&p);
  VECC_TRY(std::vector<ProgramTimes> times, time_programs(programs, options.sets.time));
  for (std::size_t i = 0; i < times.size(); ++i) table.rows[i].times = std::move(times[i]);
  if (options.sets.python.empty() || table.rows.empty()) return table;
  say("{} {}: PyG", table.set, model);
  const bool on_cpu = table.rows.front().times.device == "cpu";
  VECC_TRY(PresetRow peer, time_peer(options, data, model, on_cpu));
  table.rows.push_back(std::move(peer));
  return table;
}

}  // namespace

Result<OptimizeOptions> configuration_of(const std::string& name) {
  OptimizeOptions options;
  if (name.size() == 3 && name.starts_with("-O") && name[2] >= '0' && name[2] <= '2') {
    options.level = static_cast<std::uint32_t>(name[2] - '0');
    return options;
  }
  if (find_gather_preset(name) != nullptr) {
    options.gather_preset = name;
    return options;
  }
  return Errors(
      ErrorCode::Usage, "--configurations",
      "no \"" + name + "\"; there are " + fmt::format("{}", fmt::join(all_configurations(), ", ")));
}

Result<std::vector<PresetTable>> bench_presets(const PresetsBenchOptions& options) {
  for (const std::string& name : options.configurations) VECC_TRY_VOID(configuration_of(name));
  VECC_TRY(const Backend* backend, backend_of(options.sets.time));
  VECC_TRY(const DeviceCost cost, find_device_cost(*backend, options.sets.time.execution));
  return bench_sets<PresetTable>(options.sets,
                                 [&](const std::string& data, const std::string& model) {
                                   return bench_one(options, cost.coefficients, data, model);
                                 });
}

}  // namespace vecc::tools
