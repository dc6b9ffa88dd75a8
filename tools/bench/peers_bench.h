// vecc-bench peers: vecc beside other programs that compute the same, each in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "timed_runs.h"
#include "vecc/backend.h"
#include "vecc/error.h"

namespace vecc::tools {

struct PeersBenchOptions {
  std::string data;                  ///< folder of the unpacked data sets: tu_MUTAG, ...
  std::vector<std::string> cases;    ///< lines such as "MUTAG gcn --dim=10"; empty: all
  std::vector<std::string> runners;  ///< names; empty: all
  std::string python = "python3";    ///< one that has torch_geometric
  std::string neumann;               ///< folder of that compiler's repository
  Device device{Device::Kind::Cpu};  ///< not Auto
  MatmulPrecision precision = MatmulPrecision::Exact;  ///< of "vecc cuda"
  std::uint32_t threads = 2;
  std::uint32_t warmup = 10;
  std::uint32_t repeat = 100;
  double limit = 10;      ///< seconds that one measurement of a runner may take
  double give_up = 1800;  ///< seconds that a runner may take in all
  bool once = false;      ///< a process a runner, with empty caches: no second one that finds them
  /// Takes the table, line by line.
  std::function<Result<void>(const std::string& text)> print;

  [[nodiscard]] bool on_gpu() const { return device.kind == Device::Kind::Cuda; }
};

/// A data set grounded by an architecture.
struct PeerCase {
  std::string line;    ///< "MUTAG gcn --dim=10"
  std::string set;     ///< "MUTAG"
  std::string model;   ///< "gcn"
  std::string import;  ///< vecc-import's command ("tu"); empty: `source` is a graph.pb
  std::string source;  ///< the set's folder; of a random graph empty
  std::vector<std::string> options;  ///< vecc-import's
  bool small_graphs = false;         ///< so that mini-batches are what its users train with

  /// Of its training, by vecc's name.
  [[nodiscard]] const char* loss() const {
    return import == "tu" ? "crossentropy" : "squared_diff";
  }
  /// vecc-import draws it (synth).
  [[nodiscard]] bool is_random() const { return import == "synth"; }
  /// Nodes or edges have types.
  [[nodiscard]] bool is_typed() const;
  /// Scores of triples: only their forward pass is measured.
  [[nodiscard]] bool is_score() const;
};
/// All that are measured unless others are named.
[[nodiscard]] std::vector<std::string> default_peer_cases(bool on_gpu);
/// Error: Usage (no such set).
[[nodiscard]] Result<PeerCase> parse_peer_case(const std::string& line, const std::string& data);

/// What one runner needs for one case. Series without runs were not measured.
struct PeerRow {
  std::string runner;
  bool peer = true;       ///< not vecc's
  std::string device;     ///< its full name
  std::string version;    ///< of the peer
  std::string absent;     ///< why nothing was measured; empty: it was
  std::string remedy;     ///< what would change that
  std::string stopped;    ///< why not all was measured; empty: it was
  double difference = 0;  ///< of the outputs from those of vecc's reference
  std::optional<double> gradient_difference;
  double set_up = 0;  ///< seconds from the loaded data to the end of a first backward pass
  std::optional<double> set_up_cold;  ///< the same with nothing compiled in a cache
  TimedRuns forward;                  ///< without gradients
  TimedRuns forward_device;           ///< the same on the GPU's own clock
  TimedRuns both;                     ///< forward, and backward of the sum of all outputs
  TimedRuns both_device;              ///< the same on the GPU's own clock
  TimedRuns epoch;                    ///< a step of Adam on all samples, the loss read
  TimedRuns batch_1;                  ///< an epoch of steps on one sample each, in order
  TimedRuns batch_32;                 ///< on 32 each, shuffled
  double first_loss = 0;              ///< of `epoch`, before its first step
  std::uint64_t loaded_bytes = 0;     ///< held by the process before the set-up
  /// The most that it held until the end of `both`; of a GPU, on the GPU. 0: unknown.
  std::uint64_t peak_bytes = 0;
};
/// A measurement of a runner.
struct PeerSeries {
  const char* name;   ///< in the JSON, the runners' and ours
  const char* title;  ///< in the table
  const char* chart;  ///< in the chart
  TimedRuns PeerRow::*series;
  bool on_gpu = false;  ///< only there
};
/// All, in the order of the table.
[[nodiscard]] std::span<const PeerSeries> peer_series();

struct PeerTable {
  PeerCase what;
  std::string absent;  ///< why the case was left out
  std::string remedy;
  std::uint64_t neurons = 0;
  std::uint64_t samples = 0;
  std::vector<PeerRow> rows;
};

/// Errors: Usage (no such case or runner); those of the stages for vecc's own part. What a peer
/// lacks or fails at is in its row.
[[nodiscard]] Result<std::vector<PeerTable>> bench_peers(const PeersBenchOptions& options);

/// Of a table: what stands above its rows, a row, and what stands below the last table.
[[nodiscard]] std::string header_of(const PeerTable& table, const PeersBenchOptions& options);
[[nodiscard]] std::string line_of(const PeerRow& row, const PeersBenchOptions& options);
[[nodiscard]] std::string footer_of(const PeersBenchOptions& options);
[[nodiscard]] nlohmann::ordered_json json_of(const PeersBenchOptions& options,
                                             const std::vector<PeerTable>& tables);
/// A panel for each case and column of the table: bars on a logarithmic axis.
[[nodiscard]] std::vector<ChartPanel> panels_of(const std::vector<PeerTable>& tables);

}  // namespace vecc::tools
