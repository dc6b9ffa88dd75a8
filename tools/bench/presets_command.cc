// vecc-bench presets.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "command.h"
#include "presets_bench.h"
#include "src/support/quantity_text.h"

namespace vecc::tools {
namespace {

std::string time_text(const RunSeries& series) {
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

ChartPanel panel_of(const PresetTable& table, const char* what, RunSeries ProgramTimes::*series) {
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
