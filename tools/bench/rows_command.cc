// vecc-bench rows: how many rows the optimizer leaves, layer by layer, beside the thesis'.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "ground_graph.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/source_rows.h"
#include "src/program/members.h"
#include "src/support/quantity_text.h"
#include "tools/common/number_options.h"
#include "vecc/escape.h"
#include "vecc/optimize.h"
#include "vecc/program.h"

namespace vecc::tools {
namespace {

struct RowsBenchOptions {
  std::vector<std::string> inputs;  // graph.pb files, or folders in TUDataset text
  std::vector<std::string> models{"gcn"};
  std::uint32_t dim = 10;
  // Exactly these passes; then `presets` at -O2.
  std::vector<std::string> passes{"merge-units", "dedup-facts", "drop-unit-linear", "iso-compress",
                                  "dedup-linear-pairs"};
  std::vector<std::string> presets{"agg_true_unlimited"};
};

// A reduction: members in, rows out.
struct RowsLayer {
  std::string note;            // the groups it comes from
  std::uint64_t members = 0;   // rows that it reads
  std::uint64_t distinct = 0;  // of those, different ones within their segment
  std::uint64_t rows = 0;      // rows that it makes
};
// What is left of one graph by one way to optimize it.
struct RowCounts {
  std::string graph;             // "tu_MUTAG gcn", or the file
  std::string configuration;     // the passes, or a preset's name
  std::uint64_t input_rows = 0;  // of constant facts
  std::uint64_t gathers = 0;     // gathers of computed rows that are left
  std::vector<RowsLayer> layers;
  std::uint64_t output_rows = 0;  // distinct rows that the outputs read
  std::string thesis;             // what it has for this graph, or empty
};

RowsLayer layer_of(const Program& program, const opt::SourceRows& sources, ValueId id) {
  const Op& op = program.op(id);
  const auto& segment = std::get<SegmentOp>(op.attributes);
  const Op& operand = program.op(op.operands[0]);
  const opt::SourceRows::View rows = sources.of(op.operands[0]);
  RowsLayer layer{op.note.text(), operand.rows, 0, op.rows};
  std::vector<std::uint32_t> members;
  for (std::uint32_t s = 0; s < segment.segments.count(operand.rows); ++s) {
    members.clear();
    for_each_member(segment.segments, operand.rows, s,
                    [&](std::uint32_t row) { members.push_back(rows[row]); });
    std::ranges::sort(members);
    layer.distinct +=
        static_cast<std::uint64_t>(std::unique(members.begin(), members.end()) - members.begin());
  }
  return layer;
}

bool is_constant(const Program& program, ValueId value) {
  const OpKind kind = program.op(value).kind();
  if (kind == OpKind::Concat) {
    return std::ranges::all_of(program.op(value).operands,
                               [&](ValueId operand) { return is_constant(program, operand); });
  }
  return kind == OpKind::Weight || kind == OpKind::Fact;
}

RowCounts count_rows(const Program& program) {
  RowCounts counts;
  const opt::SourceRows sources(program);
  boost::unordered_flat_set<std::uint32_t> outputs;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    const OpKind kind = op.kind();
    if (kind == OpKind::Fact) counts.input_rows += op.rows;
    if (kind == OpKind::Segment) counts.layers.push_back(layer_of(program, sources, id));
    if (kind == OpKind::Gather && !is_constant(program, op.operands[0])) ++counts.gathers;
    if (kind != OpKind::Output) continue;
    const opt::SourceRows::View rows = sources.of(op.operands[0]);
    for (std::uint32_t i = 0; i < op.rows; ++i) outputs.insert(rows[i]);
  }
  counts.output_rows = outputs.size();
  return counts;
}

struct ThesisRows {
  std::string_view graph;
  std::string_view configuration;  // empty: by its passes
  std::string_view rows;
};
// As printed there; its second program's runs differ by seed and float width.
constexpr std::array kThesis{
    ThesisRows{"MUTAG gcn", "", "7 > 67 > 25 > 524 > 207 > 3371 > 188"},
    ThesisRows{"MUTAG gcn", "agg_true_unlimited", "18298 > 7441 > 3371 > 188"},
};

std::string thesis_of(const std::string& graph, const std::string& preset) {
  for (const ThesisRows& row : kThesis) {
    if (graph.ends_with(row.graph) && preset == row.configuration) return std::string(row.rows);
  }
  return {};
}

Result<RowCounts> count(const Program& program, const std::string& graph,
                        const OptimizeOptions& options, const std::string& preset) {
  VECC_TRY(const Program optimized, optimize(program, options));
  RowCounts counts = count_rows(optimized);
  counts.graph = graph;
  counts.configuration = preset.empty() ? fmt::format("{}", fmt::join(*options.passes, ","))
                                        : "-O2 --gather-preset=" + preset;
  counts.thesis = thesis_of(graph, preset);
  return counts;
}

Result<void> count_all(const Program& program, const std::string& graph,
                       const RowsBenchOptions& options, std::vector<RowCounts>& result) {
  OptimizeOptions by_passes;
  by_passes.passes = options.passes;
  VECC_TRY(RowCounts counts, count(program, graph, by_passes, ""));
  result.push_back(std::move(counts));
  for (const std::string& preset : options.presets) {
    OptimizeOptions by_preset;
    by_preset.gather_preset = preset;
    VECC_TRY(RowCounts lifted, count(program, graph, by_preset, preset));
    result.push_back(std::move(lifted));
  }
  return {};
}

// Errors: those of the stages.
Result<std::vector<RowCounts>> bench_rows(const RowsBenchOptions& options) {
  std::vector<RowCounts> result;
  for (const std::string& input : options.inputs) {
    if (!std::filesystem::is_directory(input)) {
      VECC_TRY(const Program program, vectorize_file(input));
      VECC_TRY_VOID(count_all(program, input, options, result));
      continue;
    }
    for (const std::string& model : options.models) {
      VECC_TRY(const Program program, ground_graph(input, model, options.dim));
      VECC_TRY_VOID(count_all(program, set_name(input) + " " + model, options, result));
    }
  }
  return result;
}

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
