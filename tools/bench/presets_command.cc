// vecc-bench presets: -O0, -O1, -O2 and every preset of lift-gathers beside PyTorch Geometric.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "ground_graph.h"
#include "pyg_times.h"
#include "src/support/quantity_text.h"
#include "tools/common/device_cost.h"
#include "vecc/optimize.h"

namespace vecc::tools {
namespace {

struct PresetsBenchOptions {
  SetBenchOptions sets{.models = {"gcn", "sage"}};
  std::vector<std::string> configurations;  // empty: all
};

// One way to run one graph.
struct PresetRow {
  std::string configuration;  // "-O0", a preset's name, "PyG"
  bool peer = false;
  std::uint64_t ops = 0;
  std::uint64_t rows = 0;
  double optimize_seconds = 0;
  double predicted_seconds = 0;  // of a forward pass, by the cost model
  ProgramTimes times;
};
struct PresetTable {
  std::string set;
  std::string model;
  std::vector<PresetRow> rows;
};

std::vector<std::string> all_configurations() {
  std::vector<std::string> names{"-O0", "-O1", "-O2"};
  for (const GatherPreset& preset : gather_presets()) names.emplace_back(preset.name);
  return names;
}

// What a configuration is: "-O0", "-O1", "-O2", or a preset's name at -O2. Error: Usage.
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

TimedRuns series_of(const nlohmann::json& seconds, std::uint32_t warmup) {
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

// Grounds each set by each model (vecc-import beside this program), runs every configuration and
// the peer. Errors: those of the stages; DeviceFailure if vecc-import or the peer fails.
Result<std::vector<PresetTable>> bench_presets(const PresetsBenchOptions& options) {
  for (const std::string& name : options.configurations) VECC_TRY_VOID(configuration_of(name));
  VECC_TRY(const Backend* backend, backend_of(options.sets.time));
  VECC_TRY(const DeviceCost cost, find_device_cost(*backend, options.sets.time.execution));
  return bench_sets<PresetTable>(options.sets,
                                 [&](const std::string& data, const std::string& model) {
                                   return bench_one(options, cost.coefficients, data, model);
                                 });
}

std::string time_text(const TimedRuns& series) {
  return series.seconds.empty() ? "-" : text_of_seconds(series.steady().median);
}

const PresetRow* peer_of(const PresetTable& table) {
  const auto found = std::ranges::find(table.rows, true, &PresetRow::peer);
  return found == table.rows.end() ? nullptr : &*found;
}

// How many times faster than the peer, forward and backward together.
std::string speedup_text(const PresetRow& row, const PresetRow* peer) {
  if (peer == nullptr || row.times.both.seconds.empty()) return "-";
  return fmt::format("{:.2f}x", peer->times.both.steady().median / row.times.both.steady().median);
}

std::string device_of(const PresetTable& table) {
  return table.rows.empty() ? "" : table.rows.front().times.device;
}

ChartPanel panel_of(const PresetTable& table, const char* what, TimedRuns ProgramTimes::*series) {
  ChartPanel panel{fmt::format("{} {}, {}, {}", table.set, table.model, what, device_of(table)),
                   {}};
  for (const PresetRow& row : table.rows) {
    if ((row.times.*series).seconds.empty()) continue;
    panel.columns.push_back({row.configuration, row.times.*series, row.peer});
  }
  return panel;
}

std::string table_of(const PresetTable& table) {
  const PresetRow* peer = peer_of(table);
  BenchTable text{{"configuration", -20}, {"ops", 5},        {"rows", 10},
                  {"optimize", 10},       {"predicted", 10}, {"forward", 10},
                  {"backward", 10},       {"both", 10},      {"of PyG", 10}};
  for (const PresetRow& row : table.rows) {
    text.add({row.configuration, row.peer ? "" : text_of_count(row.ops),
              row.peer ? "" : text_of_count(row.rows),
              row.peer ? "" : text_of_seconds(row.optimize_seconds),
              row.peer ? "" : text_of_seconds(row.predicted_seconds), time_text(row.times.forward),
              time_text(row.times.backward), time_text(row.times.both), speedup_text(row, peer)});
  }
  return fmt::format("{} {}, {}\n{}\n", table.set, table.model, device_of(table), text.text());
}

nlohmann::ordered_json json_of(const PresetTable& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const PresetRow& row : table.rows) {
    nlohmann::ordered_json object{{"configuration", row.configuration}};
    if (!row.peer) {
      object["ops"] = row.ops;
      object["rows"] = row.rows;
      object["optimize_seconds"] = row.optimize_seconds;
      object["predicted_seconds"] = row.predicted_seconds;
    }
    object.update(json_of(row.times));
    rows.push_back(std::move(object));
  }
  return {{"set", table.set}, {"model", table.model}, {"rows", rows}};
}

}  // namespace

void add_presets(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand(
      "presets",
      "-O0, -O1, -O2 and every preset of lift-gathers beside PyTorch Geometric: forward, backward "
      "and both, on whole sets of small graphs");
  const auto options = std::make_shared<PresetsBenchOptions>();
  add_set_options(*command, options->sets);
  command
      ->add_option("--configurations", options->configurations,
                   "Only these: -O0, -O1, -O2, names of presets")
      ->delimiter(',')
      ->type_name("NAME,...");
  add_peer_options(*command, options->sets);
  add_measurement(
      *command, body, BenchOutput::JsonAndChart,
      [options]() -> Result<BenchReport> {
        VECC_TRY(const auto tables, bench_presets(*options));
        BenchReport report = report_of<PresetTable>(tables, table_of, json_of);
        for (const PresetTable& table : tables) {
          report.panels.push_back(panel_of(table, "forward", &ProgramTimes::forward));
          report.panels.push_back(panel_of(table, "backward", &ProgramTimes::backward));
          report.panels.push_back(panel_of(table, "forward and backward", &ProgramTimes::both));
        }
        return report;
      },
      [options] { return options->sets.data; });
}

}  // namespace vecc::tools
