#include "backends/cuda/draw_search.h"

#include <algorithm>
#include <utility>

#include "src/batch/batch_loops.h"
#include "src/program/members.h"
#include "vecc/batch_program.h"

namespace vecc::cuda {
namespace {

namespace made = vecc_kernel;

made::DrawnCounts counts_of(SampledMembers::Counts counts) {
  switch (counts) {
    case SampledMembers::Counts::InMean: return made::kInMean;
    case SampledMembers::Counts::InSum: return made::kInSum;
    case SampledMembers::Counts::There: break;
  }
  return made::kThere;
}

class DrawDescriber {
 public:
  DrawDescriber(const SampledMembers& members, SearchSections& sets, TableMemory& memory)
      : members_(members),
        sampled_(*members.segments),
        program_(sampled_.program),
        sets_(sets),
        memory_(memory),
        draws_by_(program_.ops().size(), kNone) {
    for (std::uint32_t a = 0; a < sampled_.aggregations.size(); ++a) {
      draws_by_[sampled_.aggregations[a].op] = a;
    }
    for (const auto& [op, softmax] : sampled_.followers) draws_by_[op] = softmax;
    for (const Op& op : program_.ops()) {
      const bool is_leaf = op.kind() == OpKind::Fact || op.kind() == OpKind::Weight;
      reached_.push_back(is_leaf ? kNone : sets_.take(op.rows));
    }
  }

  void describe() {
    for (const SampleRow& sample : sample_rows(program_)) {
      sets_.start_sample(reached_[sample.output], sample.row);
    }
    for (auto id = to_row(program_.ops().size()); id-- > 0;) {
      if (reached_[id] == kNone || !sets_[reached_[id]].has_any) continue;
      draws_by_[id] == kNone ? visit(id) : draw(id, sampled_.aggregations[draws_by_[id]]);
    }
  }

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return program_.op(id); }

  // ProgramReads::visit().
  void visit(ValueId id) {
    for (std::size_t k = 0; k < op(id).operands.size(); ++k) {
      const std::uint32_t set = reached_[op(id).operands[k]];
      if (set != kNone) sets_.put(over_operand(id, k), set);
    }
  }

  // operand_rows().
  SearchWalk over_operand(ValueId id, std::size_t k) {
    const std::uint32_t count = op(op(id).operands[k]).rows;
    if (const auto* segment = std::get_if<SegmentOp>(&op(id).attributes)) {
      return over_members(*segment, over_segments(id, *segment), count);
    }
    SearchWalk walk(reached_[id], 0, op(id).rows);
    made::NumberMap& row = walk.to.after;
    if (const auto* gather = std::get_if<GatherOp>(&op(id).attributes)) {
      row.list = list_of(gather->index);
    } else if (const auto* linear = std::get_if<LinearOp>(&op(id).attributes)) {
      const Lift& lift = k == 0 ? linear->lift_left : linear->lift_right;
      if (lift.kind == Lift::Kind::Repeat) row.remainder = count;
      if (lift.kind == Lift::Kind::Interleave) row.divisor = lift.times;
    } else if (op(id).kind() == OpKind::Concat) {
      std::uint32_t first = 0;
      for (std::size_t i = 0; i < k; ++i) first += op(op(id).operands[i]).rows;
      return {reached_[id], first, count};
    } else if (op(id).kind() == OpKind::Map && count == 1) {
      row.is_zero = 1;
    }
    return walk;
  }

  const std::uint32_t* list_of(const Index& index) {
    if (index.form() == Index::Form::List) return memory_.share(*index.shared_array());
    return memory_.add(index.materialize());
  }

  // Over the segments that reached rows are of.
  SearchWalk over_segments(ValueId id, const SegmentOp& of) {
    SearchWalk walk(reached_[id], 0, op(id).rows);
    if (!keeps_members(of.combination)) return walk;
    made::NumberMap& segment = walk.job.before;
    if (!of.segments.is_fixed()) {
      segment.list = memory_.add(owners_of(of.segments, op(id).rows));
    } else if (of.segments.dimension() == 2) {
      segment.divisor = of.segments.members();
    } else {
      segment.remainder = of.segments.count(op(id).rows);
    }
    return walk;
  }

  // Over their members; `rows`: of the operand.
  SearchWalk over_members(const SegmentOp& of, SearchWalk walk, std::uint32_t rows) {
    made::SearchJob& job = walk.job;
    job.members = of.segments.members();
    job.stride = of.segments.count(rows);
    if (!of.segments.is_fixed()) {
      job.expand = made::kMembers;
      job.begins = memory_.share(*of.segments.shared_offsets());
    } else {
      job.expand = of.segments.dimension() == 2 ? made::kFixedMembers : made::kStridedMembers;
    }
    return walk;
  }

  // ProgramReads::visit_segments().
  void draw(ValueId id, const SampledSegments::Aggregation& aggregation) {
    const auto& of = std::get<SegmentOp>(op(id).attributes);
    const ValueId operand = op(id).operands[0];
    const std::uint32_t rows = op(operand).rows;
    std::uint32_t segments = reached_[id];
    if (keeps_members(of.combination)) {
      segments = sets_.take(of.segments.count(rows));
      SearchWalk walk = over_segments(id, of);
      std::swap(walk.job.before, walk.to.after);
      sets_.put(walk, segments);
    }
    const std::uint32_t drawn = sets_.take(rows);
    made::DrawJob job{};
    if (of.segments.is_fixed()) {
      job.members = of.segments.members();
    } else {
      job.begins = memory_.share(*of.segments.shared_offsets());
    }
    job.limit = aggregation.limit;
    job.first_owner = aggregation.first_owner;
    job.first_row = aggregation.first_row;
    job.writes = aggregation.op == id ? 1 : 0;
    job.counts = counts_of(aggregation.counts);
    job.is_scaled = members_.fanout.scales_sums ? 1 : 0;
    sets_.draw({segments, 0, of.segments.count(rows)}, job, drawn);
    if (reached_[operand] != kNone) sets_.put({drawn, 0, rows}, reached_[operand]);
  }

  const SampledMembers& members_;
  const SampledSegments& sampled_;
  const Program& program_;
  SearchSections& sets_;
  TableMemory& memory_;
  std::vector<std::uint32_t> draws_by_;  // by op: the aggregation whose members it has
  std::vector<std::uint32_t> reached_;   // by value; kNone: nothing is read by it
};

}  // namespace

void describe_draws(const SampledMembers& members, SearchSections& sets, TableMemory& memory) {
  DrawDescriber(members, sets, memory).describe();
}

}  // namespace vecc::cuda
