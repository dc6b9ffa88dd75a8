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

// Which products are computed by what reads them.
class InlinedProducts {
 public:
  InlinedProducts(const Program& program, const PlanOptions& options, ProgramAnalysis& analysis)
      : program_(program), options_(options), analysis_(analysis) {}

  // Those that only one op reads, a sum or a map, each row of them once at most.
  void find() {
    const std::size_t count = program_.ops().size();
    analysis_.inlined_in_sum.assign(count, false);
    analysis_.inlined_in_map.assign(count, false);
    if (options_.keep_values || !options_.fuse) return;
    std::vector<std::uint32_t> readers(count, 0);
    for (ValueId id = 0; id < count; ++id) {
      const Op& op = program_.op(id);
      if (op.kind() == OpKind::Gather || analysis_.sources.value_of(id) != id) continue;
      for (const ValueId operand : op.operands) {
        const ValueSource& source = analysis_.sources[operand];
        ++readers[source.value];
        note_reader(op, source);
      }
    }
    for (const ValueId id : options_.kept) readers[analysis_.sources.value_of(id)] = 0;
    for (ValueId id = 0; id < count; ++id) {
      if (readers[id] != 1) analysis_.inlined_in_sum[id] = analysis_.inlined_in_map[id] = false;
    }
  }

 private:
  void note_reader(const Op& op, const ValueSource& source) {
    const bool once = !source.index || source.index->size() <= program_.op(source.value).rows;
    if (is_sum(op) && once && is_scaled_row(source.value)) {
      analysis_.inlined_in_sum[source.value] = true;
    }
    if (op.kind() == OpKind::Map && !source.index && scales_gathered_rows(source.value)) {
      analysis_.inlined_in_map[source.value] = true;
    }
  }

  [[nodiscard]] bool is_scaled_row(ValueId id) const {
    const Op& op = program_.op(id);
    if (op.kind() != OpKind::Linear || analysis_.places[id].buffer != id) return false;
    const bool is_row = op.shape.is_vector() || op.shape.is_scalar();
    return is_row && op.shape.size() >= (options_.target.has_vectors() ? kShortestInlined : 1) &&
           std::ranges::any_of(op.operands, [&](ValueId operand) {
             return program_.op(operand).shape.is_scalar();
           });
  }

  // One number times rows that are gathered; on a GPU, where a kernel less is worth it.
  [[nodiscard]] bool scales_gathered_rows(ValueId id) const {
    if (options_.target.has_vectors() || !is_scaled_row(id)) return false;
    const std::array<RowRead, 2> reads = linear_reads(program_, analysis_.sources, id);
    const std::size_t number = reads[0].shape.is_scalar() ? 0 : 1;
    return reads[number].one && reads[1 - number].index && !reads[1 - number].one;
  }

  const Program& program_;
  const PlanOptions& options_;
  ProgramAnalysis& analysis_;
};

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

ProgramAnalysis analyze(const Program& program, const PlanOptions& options) {
  std::vector<Place> places = stored_places(program);
  ValueSources sources = value_sources(program, places);
  ProgramAnalysis analysis{
      std::move(places), std::move(sources), UpdateTargets(program), {}, {}, {}};
  InlinedProducts(program, options, analysis).find();
  analysis.has_row_reader = find_row_readers(program, options, analysis.sources);
  return analysis;
}

}  // namespace vecc
