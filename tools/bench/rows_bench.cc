#include "rows_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <filesystem>

#include "ground_graph.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/source_rows.h"
#include "src/program/members.h"
#include "vecc/optimize.h"

namespace vecc::tools {
namespace {

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

}  // namespace

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

}  // namespace vecc::tools
