// vecc-bench train.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "src/support/quantity_text.h"
#include "tools/common/number_options.h"
#include "train_bench.h"

namespace vecc::tools {
namespace {

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
