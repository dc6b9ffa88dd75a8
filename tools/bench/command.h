// The frame of vecc-bench's commands: a command is its options, its measurement and its columns.
// The frame opens the outputs, prints the table, writes the JSON and the chart, says what is
// measured, and takes times.
#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pyg_times.h"
#include "timed_runs.h"
#include "vecc/error.h"

namespace vecc::tools {

using CommandBody = std::function<Result<void>()>;

// Every add_ function adds its command to the app; when the command was given, `body` is what runs
// it.
void add_compile(CLI::App& app, CommandBody& body);
void add_rows(CLI::App& app, CommandBody& body);
void add_presets(CLI::App& app, CommandBody& body);
void add_train(CLI::App& app, CommandBody& body);
void add_large(CLI::App& app, CommandBody& body);
void add_peers(CLI::App& app, CommandBody& body);
void add_kg(CLI::App& app, CommandBody& body);
void add_kg_ranks(CLI::App& app, CommandBody& body);
void add_kg_scores(CLI::App& app, CommandBody& body);
void add_calibrate(CLI::App& app, CommandBody& body);

/// What a command has measured: for stdout, --json and --svg.
struct BenchReport {
  std::string table;
  nlohmann::ordered_json json;
  std::vector<ChartPanel> panels;
};
enum class BenchOutput : std::uint8_t { Json, JsonAndChart };

/// Makes `command` a measurement with --json, and --svg if it has a chart. Outputs are opened
/// before it, so that minutes of measuring do not end in a bad path; `inputs` (of the options, when
/// all are parsed) are not overwritten. Errors of the run: Usage (an output names an input, the
/// other output, or the file that stdout goes to), CannotWrite, those of `measure`.
void add_measurement(CLI::App& command, CommandBody& body, BenchOutput output,
                     const std::function<Result<BenchReport>()>& measure,
                     const std::function<std::vector<std::string>()>& inputs = {});

/// Sets of small graphs and what grounds them: DIR ..., --models, --dim.
void add_set_options(CLI::App& command, SetBenchOptions& options);
/// --backend, --device, --threads.
void add_backend_options(CLI::App& command, TimeOptions& time);
/// Those, --warmup, --repeat.
void add_timing_options(CLI::App& command, TimeOptions& time);
/// Those, --matmul-precision, and --python: of what is measured beside a peer.
void add_peer_options(CLI::App& command, SetBenchOptions& options);

/// A table for a terminal: a line of names, then lines of as many cells.
class BenchTable {
 public:
  struct Column {
    std::string_view name;
    int width;  ///< at least; below zero: to the left
  };
  BenchTable(std::initializer_list<Column> columns);
  void add(std::initializer_list<std::string> cells);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add_cell(int width, std::string_view cell);

  std::vector<int> widths_;
  std::string text_;
};

/// Of a command that measures several sets.
template <class Set>
[[nodiscard]] BenchReport report_of(const std::vector<Set>& sets, std::string (*table)(const Set&),
                                    nlohmann::ordered_json (*json)(const Set&)) {
  BenchReport report;
  auto& list = report.json["tables"] = nlohmann::ordered_json::array();
  for (const Set& set : sets) {
    report.table += table(set);
    list.push_back(json(set));
  }
  return report;
}

/// A line on stderr: what is measured now.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print(stderr, "{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace vecc::tools
