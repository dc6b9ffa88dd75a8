// The frame: outputs, tables, and options that several commands have.
#include "command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "tools/common/command_paths.h"
#include "tools/common/data_sink.h"
#include "tools/common/number_options.h"
#include "tools/common/precision_option.h"
#include "tools/common/statistics.h"

namespace vecc::tools {
namespace {

struct BenchPaths {
  std::string json;
  std::string svg;
};

Result<void> check_paths(const std::vector<std::string>& inputs, const BenchPaths& outputs) {
  CommandPaths paths;
  for (const std::string& input : inputs) paths.add_input(input, input);
  paths.add_output("--json=" + outputs.json, outputs.json);
  paths.add_output("--svg=" + outputs.svg, outputs.svg);
  paths.add_stdout();
  const std::string problem = paths.find_conflict();
  if (problem.empty()) return {};
  return Errors(ErrorCode::Usage, "vecc-bench", problem);
}

// `path` empty: nothing is written.
Result<std::optional<DataSink>> open_output(const std::string& path) {
  if (path.empty()) return std::optional<DataSink>();
  VECC_TRY(DataSink sink, DataSink::open(path));
  return std::optional<DataSink>(std::move(sink));
}

Result<void> write_output(std::optional<DataSink>& sink, std::string_view text) {
  if (!sink) return {};
  sink->write(text);
  return sink->finish();
}

}  // namespace

void add_measurement(CLI::App& command, CommandBody& body, BenchOutput output,
                     const std::function<Result<BenchReport>()>& measure,
                     const std::function<std::vector<std::string>()>& inputs) {
  const auto paths = std::make_shared<BenchPaths>();
  command.add_option("--json", paths->json, "Write every number to PATH")->type_name("PATH");
  if (output == BenchOutput::JsonAndChart) {
    command.add_option("--svg", paths->svg, "Draw every run to PATH")->type_name("PATH");
  }
  const auto run = [=]() -> Result<void> {
    VECC_TRY_VOID(check_paths(inputs ? inputs() : std::vector<std::string>(), *paths));
    VECC_TRY(auto json, open_output(paths->json));
    VECC_TRY(auto svg, open_output(paths->svg));
    VECC_TRY(const BenchReport report, measure());
    VECC_TRY_VOID(write_data("", report.table));
    VECC_TRY_VOID(write_output(json, dump_json(report.json) + "\n"));
    return write_output(svg, draw_svg(report.panels));
  };
  command.callback([&body, run] { body = run; });
}

BenchTable::BenchTable(std::initializer_list<Column> columns) {
  for (const Column& column : columns) {
    widths_.push_back(column.width);
    add_cell(column.width, column.name);
  }
  text_ += '\n';
}

void BenchTable::add(std::initializer_list<std::string> cells) {
  VECC_CHECK(cells.size() == widths_.size(), "cells of a line");
  std::size_t k = 0;
  for (const std::string& cell : cells) add_cell(widths_[k++], cell);
  text_ += '\n';
}

void BenchTable::add_cell(int width, std::string_view cell) {
  if (!text_.empty() && text_.back() != '\n') text_ += ' ';
  text_ += width < 0 ? fmt::format("{:<{}}", cell, -width) : fmt::format("{:>{}}", cell, width);
}

void add_set_options(CLI::App& command, SetBenchOptions& options) {
  command.add_option("data", options.data, "Folders in TUDataset text")
      ->required()
      ->type_name("DIR ...");
  command.add_option("--models", options.models, "Architectures")
      ->delimiter(',')
      ->check(CLI::IsMember({"gcn", "sage", "gin"}).description(""))
      ->type_name("gcn|sage|gin,...")
      ->capture_default_str();
  add_whole(command, "--dim", options.dim, {1, 4096}, "Dimensions of every layer");
}

void add_backend_options(CLI::App& command, TimeOptions& time) {
  command.add_option("--backend", time.backend, "What runs the programs")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--device",
          [&time](const std::string& text) {
            const Result<Device> device = parse_device(text);
            if (!device) throw CLI::ValidationError("--device", device.error().text());
            time.execution.device = *device;
          },
          "Where they run, the peer too")
      ->type_name("auto|cpu|cuda[:N]")
      ->default_str("auto");
  add_whole(command, "--threads", time.execution.threads, {0, 4096},
            "CPU threads; 0: as many as there are");
}

void add_timing_options(CLI::App& command, TimeOptions& time) {
  add_backend_options(command, time);
  const auto count = [&](const char* name, std::uint32_t& value, const char* text) {
    add_whole(command, name, value, {1, 1'000'000}, text);
  };
  count("--warmup", time.warmup, "Runs that the medians leave out, but the chart shows");
  count("--repeat", time.repeat, "Runs after them");
}

void add_peer_options(CLI::App& command, SetBenchOptions& options) {
  add_timing_options(command, options.time);
  add_precision_option(
      command, [&](MatmulPrecision precision) { options.time.execution.precision = precision; });
  command
      .add_option("--python", options.python,
                  "A Python with torch_geometric, the peer; an empty name: no peer")
      ->type_name("PATH")
      ->capture_default_str();
}

}  // namespace vecc::tools
