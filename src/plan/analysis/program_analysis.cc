#include "src/plan/analysis/program_analysis.h"

#include <algorithm>
#include <utility>

#include "src/plan/analysis/side_sums.h"

namespace vecc {
namespace {

void find_updated(const Program& program, ProgramAnalysis& analysis) {
  const std::size_t count = program.ops().size();
  analysis.is_updated.assign(count, false);
  analysis.parameters.assign(program.parameters().size(), kNone);
  for (ValueId id = 0; id < count; ++id) {
    const Op& op = program.op(id);
    if (const auto* weight = std::get_if<WeightOp>(&op.attributes)) {
      ValueId& first = analysis.parameters[weight->parameter];
      first = std::min(first, id);
    }
    if (op.kind() == OpKind::Update)
      analysis.is_updated[analysis.memory_of(program, op.operands[0])] = true;
  }
  for (ValueId id = 0; id < count; ++id) {
    analysis.is_updated[id] = analysis.is_updated[analysis.memory_of(program, id)];
  }
}

std::vector<bool> find_row_readers(const Program& program, const PlanOptions& options,
                                   const ValueSources& sources) {
  std::vector<bool> has_row_reader(program.ops().size(), false);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    const OpKind kind = op.kind();
    const bool is_by_row = kind == OpKind::Map || kind == OpKind::Transform ||
                           kind == OpKind::Vjp || kind == OpKind::Linear;
    if (sources.value_of(id) != id || !is_by_row) continue;
    const bool by_type =
        kind == OpKind::Linear && std::ranges::any_of(op.operands, [&](ValueId operand) {
          return shares_matrix_by_type(program, options, op.rows,
                                       read_of(program, sources, operand));
        });
    for (const ValueId operand : op.operands) {
      if (!by_type && !sources[operand].index) has_row_reader[sources.value_of(operand)] = true;
    }
  }
  return has_row_reader;
}

}  // namespace

ValueId ProgramAnalysis::memory_of(const Program& program, ValueId value) const {
  if (value >= program.ops().size()) return value;
  const auto* weight = std::get_if<WeightOp>(&program.op(value).attributes);
  return weight != nullptr ? parameters[weight->parameter] : value;
}

ProgramAnalysis analyze(const Program& program, const PlanOptions& options) {
  ProgramAnalysis analysis;
  analysis.places = stored_places(program);
  analysis.sources = value_sources(program, analysis.places);
  find_updated(program, analysis);
  analysis.inlined = find_inlined(program, options, analysis.places, analysis.sources);
  analysis.has_row_reader = find_row_readers(program, options, analysis.sources);
  analysis.side_sums = find_side_sums(program, options, analysis.sources, analysis.inlined);
  return analysis;
}

}  // namespace vecc
