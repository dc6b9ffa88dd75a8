#include "src/plan/analysis/program_analysis.h"

#include <algorithm>
#include <utility>

namespace vecc {
namespace {

// Shorter rows are stored in the time that one more number a member takes to be read: on a
// processor. A GPU takes longer to begin one more kernel.
constexpr std::uint64_t kShortestInlined = 8;

bool is_sum(const Op& op) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  return segment != nullptr &&
         (segment->combination == Combination::Sum || segment->combination == Combination::Avg);
}

bool is_scaled_row(const Program& program, const PlanOptions& options, const Place& place,
                   ValueId id) {
  const Op& op = program.op(id);
  if (op.kind() != OpKind::Linear || place.buffer != id) return false;
  const bool is_row = op.shape.is_vector() || op.shape.is_scalar();
  return is_row && op.shape.size() >= (options.target.has_vectors() ? kShortestInlined : 1) &&
         std::ranges::any_of(
             op.operands, [&](ValueId operand) { return program.op(operand).shape.is_scalar(); });
}

// One number times rows that are gathered; on a GPU, where a kernel less is worth it.
bool scales_gathered_rows(const Program& program, const PlanOptions& options,
                          const ValueSources& sources, ValueId id) {
  if (options.target.has_vectors()) return false;
  const std::array<RowRead, 2> reads = linear_reads(program, sources, id);
  const std::size_t number = reads[0].shape.is_scalar() ? 0 : 1;
  return reads[number].one && reads[1 - number].index && !reads[1 - number].one;
}

// Products that only one op reads, a sum or a map, each row of them once at most.
void find_inlined_products(const Program& program, const PlanOptions& options,
                           ProgramAnalysis& analysis) {
  const std::size_t count = program.ops().size();
  analysis.inlined_in_sum.assign(count, false);
  analysis.inlined_in_map.assign(count, false);
  if (options.keep_values || !options.fuse) return;
  std::vector<std::uint32_t> readers(count, 0);
  for (ValueId id = 0; id < count; ++id) {
    const Op& op = program.op(id);
    // (What an update stores is its source, and read by it.)
    const bool reads = op.kind() == OpKind::Update || analysis.sources.value_of(id) == id;
    if (op.kind() == OpKind::Gather || !reads) continue;
    for (const ValueId operand : op.operands) {
      const auto [value, index] = analysis.sources[operand];
      ++readers[value];
      const bool by_sum = is_sum(op) && (!index || index->size() <= program.op(value).rows);
      const bool by_map = op.kind() == OpKind::Map && !index;
      if (!by_sum && !by_map) continue;
      if (!is_scaled_row(program, options, analysis.places[value], value)) continue;
      if (by_sum) analysis.inlined_in_sum[value] = true;
      if (by_map && scales_gathered_rows(program, options, analysis.sources, value)) {
        analysis.inlined_in_map[value] = true;
      }
    }
  }
  for (const ValueId id : options.kept) readers[analysis.sources.value_of(id)] = 0;
  for (ValueId id = 0; id < count; ++id) {
    if (readers[id] != 1) analysis.inlined_in_sum[id] = analysis.inlined_in_map[id] = false;
  }
}

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
  find_inlined_products(program, options, analysis);
  analysis.has_row_reader = find_row_readers(program, options, analysis.sources);
  return analysis;
}

}  // namespace vecc
