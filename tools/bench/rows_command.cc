// vecc-bench rows.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "rows_bench.h"
#include "src/support/quantity_text.h"
#include "tools/common/number_options.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

std::string table_of(const std::vector<RowCounts>& counts) {
  std::string text;
  for (const RowCounts& c : counts) {
    text += fmt::format("{}\n  {}\n", escape_terminal(c.graph), c.configuration);
    text += fmt::format("  input rows {}, gathers left {}\n", text_of_count(c.input_rows),
                        text_of_count(c.gathers));
    for (const RowsLayer& layer : c.layers) {
      text += fmt::format("  members {:>10} ({:>10} distinct) -> {:>9} rows   {}\n",
                          text_of_count(layer.members), text_of_count(layer.distinct),
                          text_of_count(layer.rows), escape_terminal(layer.note, 60));
    }
    text += fmt::format("  distinct outputs {}\n", text_of_count(c.output_rows));
    if (!c.thesis.empty()) text += fmt::format("  thesis: {}\n", c.thesis);
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json json_of(const std::vector<RowCounts>& counts) {
  auto result = nlohmann::ordered_json::array();
  for (const RowCounts& c : counts) {
    auto layers = nlohmann::ordered_json::array();
    for (const RowsLayer& layer : c.layers) {
      layers.push_back({{"note", layer.note},
                        {"members", layer.members},
                        {"distinct", layer.distinct},
                        {"rows", layer.rows}});
    }
    result.push_back({{"graph", c.graph},
                      {"configuration", c.configuration},
                      {"input_rows", c.input_rows},
                      {"gathers", c.gathers},
                      {"layers", layers},
                      {"output_rows", c.output_rows},
                      {"thesis", c.thesis}});
  }
  return {{"graphs", result}};
}

}  // namespace

void add_rows(CLI::App& app, CommandBody& body) {
  CLI::App* command = app.add_subcommand(
      "rows", "How many rows the optimizer leaves, layer by layer, beside the thesis' numbers");
  const auto options = std::make_shared<RowsBenchOptions>();
  command
      ->add_option("inputs", options->inputs,
                   "Graphs, or folders in TUDataset text that each --model grounds")
      ->required()
      ->type_name("graph.pb|DIR ...");
  command->add_option("--models", options->models, "Architectures for folders")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->capture_default_str();
  add_whole(*command, "--dim", options->dim, {1, 4096}, "Dimensions of every layer");
  command->add_option("--passes", options->passes, "Count after exactly these")
      ->delimiter(',')
      ->type_name("PASS,...")
      ->capture_default_str();
  command->add_option("--presets", options->presets, "And at -O2 with these presets")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->capture_default_str();
  add_measurement(
      *command, body, BenchOutput::Json,
      [options]() -> Result<BenchReport> {
        VECC_TRY(const auto counts, bench_rows(*options));
        return BenchReport{table_of(counts), json_of(counts), {}};
      },
      [options] { return options->inputs; });
}

}  // namespace vecc::tools
