// The table, the JSON and the chart of vecc-bench peers.
#include <fmt/format.h>

#include "peers_bench.h"
#include "src/support/quantity_text.h"

namespace vecc::tools {
namespace {

constexpr PeerSeries kPeerSeries[] = {
    {"forward", "forward", "forward", &PeerRow::forward},
    {"forward_device", "on GPU", "forward, on the GPU", &PeerRow::forward_device, true},
    {"both", "fwd+bwd", "forward and backward", &PeerRow::both},
    {"both_device", "on GPU", "forward and backward, on the GPU", &PeerRow::both_device, true},
    {"epoch", "epoch", "a training step on all samples", &PeerRow::epoch},
    {"batch_1", "batch 1", "an epoch of batches of 1", &PeerRow::batch_1},
    {"batch_32", "batch 32", "an epoch of batches of 32", &PeerRow::batch_32},
};

std::string milliseconds_text(double seconds) {
  const double ms = seconds * 1e3;
  return fmt::format("{:.{}f}", ms, ms < 1 ? 4 : ms < 100 ? 2 : 0);
}

std::string median_text(const TimedRuns& series) {
  return series.seconds.empty() ? "-" : milliseconds_text(series.steady().median);
}

std::string absent_text(const std::string& name, const std::string& why,
                        const std::string& remedy) {
  return fmt::format("{:<19} left out: {}{}\n", name, why, remedy.empty() ? "" : "; " + remedy);
}

nlohmann::ordered_json json_of(const PeerRow& row) {
  nlohmann::ordered_json result{{"runner", row.runner}, {"peer", row.peer}};
  if (!row.absent.empty()) {
    result["absent"] = row.absent;
    result["remedy"] = row.remedy;
    return result;
  }
  if (!row.stopped.empty()) result["stopped"] = row.stopped;
  result["version"] = row.version;
  result["device"] = row.device;
  result["difference"] = row.difference;
  if (row.gradient_difference) result["gradient_difference"] = *row.gradient_difference;
  result["set_up_seconds"] = row.set_up;
  if (row.set_up_cold) result["set_up_cold_seconds"] = *row.set_up_cold;
  for (const PeerSeries& each : kPeerSeries) {
    const TimedRuns& series = row.*each.series;
    if (!series.seconds.empty()) result[each.name] = json_of(series);
  }
  result["first_loss"] = row.first_loss;
  result["loaded_bytes"] = row.loaded_bytes;
  result["peak_bytes"] = row.peak_bytes;
  return result;
}

ChartPanel panel_of(const PeerTable& table, const PeerSeries& what) {
  ChartPanel panel{table.what.line + ", " + what.chart, {}};
  for (const PeerRow& row : table.rows) {
    const TimedRuns& series = row.*what.series;
    if (!series.seconds.empty()) panel.columns.push_back({row.runner, series, row.peer});
  }
  return panel;
}

}  // namespace

std::span<const PeerSeries> peer_series() {
  return kPeerSeries;
}

std::string header_of(const PeerTable& table, const PeersBenchOptions& options) {
  if (!table.absent.empty()) {
    return absent_text(table.what.line + ":", table.absent, table.remedy) + "\n";
  }
  std::string text = fmt::format("{}: {}, {}\n{:<19} {:>14}", table.what.line,
                                 text_of_count(table.neurons, "neuron"),
                                 text_of_count(table.samples, "sample"), "runner", "set-up s");
  for (const PeerSeries& each : kPeerSeries) {
    if (options.on_gpu() || !each.on_gpu) text += fmt::format(" {:>10}", each.title);
  }
  return text + fmt::format(" {:>9} {:>10}\n", "peak", "difference");
}

std::string line_of(const PeerRow& row, const PeersBenchOptions& options) {
  if (!row.absent.empty()) return absent_text(row.runner, row.absent, row.remedy);
  std::string set_up = fmt::format("{:.2f}", row.set_up);
  if (row.set_up_cold) set_up = fmt::format("{:.2f} / {}", *row.set_up_cold, set_up);
  std::string text = fmt::format("{:<19} {:>14}", row.runner, set_up);
  for (const PeerSeries& each : kPeerSeries) {
    if (!options.on_gpu() && each.on_gpu) continue;
    text += fmt::format(" {:>10}", median_text(row.*each.series));
  }
  const std::string peak = row.peak_bytes == 0 ? "-" : text_of_bytes(row.peak_bytes);
  text += fmt::format(" {:>9} {:>10.1e}\n", peak, row.difference);
  return row.stopped.empty() ? text : text + fmt::format("{:<19} stopped: {}\n", "", row.stopped);
}

std::string footer_of(const PeersBenchOptions& options) {
  std::string text = fmt::format(
      "Medians in milliseconds{}.\n"
      "set-up: from the loaded data to the end of a first backward pass (cold{}).\n"
      "epoch: forward, backward, a step of Adam, the loss read, on all samples; batch 1 in their "
      "order, batch 32 shuffled.\n",
      options.on_gpu() ? ", from the host's call until the GPU is done" : "",
      options.once ? "" : " / with what a process before has compiled");
  text += options.on_gpu() ? "on GPU: the same run between two events of the GPU. peak: of its "
                             "memory, until fwd+bwd is measured.\n"
                           : "peak: of the process, until fwd+bwd is measured.\n";
  if (options.precision != MatmulPrecision::Exact) {
    text += fmt::format("vecc cuda: wide products in {}.\n", text_of(options.precision));
  }
  return text +
         "difference: the outputs' largest, from those of vecc in double on the same weights.\n";
}

nlohmann::ordered_json json_of(const PeersBenchOptions& options,
                               const std::vector<PeerTable>& tables) {
  auto list = nlohmann::ordered_json::array();
  for (const PeerTable& table : tables) {
    nlohmann::ordered_json object{{"case", table.what.line}};
    if (!table.absent.empty()) {
      object["absent"] = table.absent;
      object["remedy"] = table.remedy;
    } else {
      object["loss"] = table.what.loss();
      object["neurons"] = table.neurons;
      object["samples"] = table.samples;
      object["rows"] = nlohmann::ordered_json::array();
      for (const PeerRow& row : table.rows) object["rows"].push_back(json_of(row));
    }
    list.push_back(std::move(object));
  }
  return {{"benchmark", "peers"},
          {"device", options.on_gpu() ? fmt::format("cuda:{}", options.device.index) : "cpu"},
          {"matmul_precision", text_of(options.precision)},
          {"threads", options.threads},
          {"warmup", options.warmup},
          {"repeat", options.repeat},
          {"limit_seconds", options.limit},
          {"cases", list}};
}

std::vector<ChartPanel> panels_of(const std::vector<PeerTable>& tables) {
  std::vector<ChartPanel> panels;
  for (const PeerTable& table : tables) {
    for (const PeerSeries& series : kPeerSeries) {
      panels.push_back(panel_of(table, series));
      if (panels.back().columns.empty()) panels.pop_back();
    }
  }
  return panels;
}

}  // namespace vecc::tools
