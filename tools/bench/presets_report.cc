// The table, the JSON and the chart of vecc-bench presets.
#include <fmt/format.h>

#include <algorithm>

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

ChartPanel panel_of(const PresetTable& table, const char* what, RunSeries ProgramTimes::*series) {
  ChartPanel panel{fmt::format("{} {}, {}, {}", table.set, table.model, what,
                               table.rows.empty() ? "" : table.rows.front().times.device),
                   {}};
  for (const PresetRow& row : table.rows) {
    if ((row.times.*series).seconds.empty()) continue;
    panel.columns.push_back({row.configuration, row.times.*series, row.peer});
  }
  return panel;
}

}  // namespace

std::string table_of(const std::vector<PresetTable>& tables) {
  std::string text;
  for (const PresetTable& table : tables) {
    const PresetRow* peer = peer_of(table);
    text += fmt::format(
        "{} {}, {}\n{:<20} {:>5} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", table.set,
        table.model, table.rows.empty() ? "" : table.rows.front().times.device, "configuration",
        "ops", "rows", "optimize", "predicted", "forward", "backward", "both", "of PyG");
    for (const PresetRow& row : table.rows) {
      text += fmt::format(
          "{:<20} {:>5} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", row.configuration,
          row.peer ? "" : text_of_count(row.ops), row.peer ? "" : text_of_count(row.rows),
          row.peer ? "" : text_of_seconds(row.optimize_seconds),
          row.peer ? "" : text_of_seconds(row.predicted_seconds), time_text(row.times.forward),
          time_text(row.times.backward), time_text(row.times.both), speedup_text(row, peer));
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json json_of(const std::vector<PresetTable>& tables) {
  auto result = nlohmann::ordered_json::array();
  for (const PresetTable& table : tables) {
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
    result.push_back({{"set", table.set}, {"model", table.model}, {"rows", rows}});
  }
  return {{"tables", result}};
}

std::string draw_svg(const std::vector<PresetTable>& tables) {
  std::vector<ChartPanel> panels;
  for (const PresetTable& table : tables) {
    panels.push_back(panel_of(table, "forward", &ProgramTimes::forward));
    panels.push_back(panel_of(table, "backward", &ProgramTimes::backward));
    panels.push_back(panel_of(table, "forward and backward", &ProgramTimes::both));
  }
  return draw_svg(panels);
}

}  // namespace vecc::tools
