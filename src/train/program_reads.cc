#include "src/train/program_reads.h"

#include <algorithm>
#include <optional>

#include "src/program/members.h"
#include "src/samples/operand_rows.h"

namespace vecc::training {
namespace {

std::vector<std::uint32_t> rows_in(const RowSet& set, const Op& op) {
  std::vector<std::uint32_t> rows;
  rows.reserve(set.size());
  set.for_each(0, op.rows,
               [&](std::uint64_t row) { rows.push_back(static_cast<std::uint32_t>(row)); });
  return rows;
}

// Of a segment's first member, in the op's operand: its members are those behind it.
std::uint32_t first_member(const Segments& segments, std::uint32_t segment) {
  return segments.is_fixed() ? segment * segments.members() : segments.offsets()[segment];
}

}  // namespace

ProgramReads::ProgramReads(const SampledMembers& members)
    : members_(members),
      sampled_(*members.segments),
      program_(sampled_.program),
      samples_(sample_rows(program_)),
      draws_by_(program_.ops().size(), kNotSampled) {
  for (std::uint32_t a = 0; a < sampled_.aggregations.size(); ++a) {
    draws_by_[sampled_.aggregations[a].op] = a;
  }
  for (const auto& [op, softmax] : sampled_.followers) draws_by_[op] = softmax;
  for (const Op& op : program_.ops()) {
    const auto* weight = std::get_if<WeightOp>(&op.attributes);
    const bool is_table =
        weight != nullptr && program_.parameters()[weight->parameter].name == kFanoutTable;
    const bool is_drawn_by = draws_by_[is_looked_up_.size()] != kNotSampled;
    const bool leads_on = std::ranges::any_of(
        op.operands, [&](ValueId operand) -> bool { return is_looked_up_[operand]; });
    is_looked_up_.push_back(leads_on || is_drawn_by || (weight != nullptr && !is_table));
    reached_.push_back(is_looked_up_.back() ? RowSet(op.rows) : RowSet());
  }
}

void ProgramReads::find(std::span<const std::uint32_t> samples, std::uint64_t run) {
  run_ = run;
  drawn_.clear();
  for (RowSet& rows : reached_) rows.clear();
  for (const std::uint32_t sample : samples) {
    const SampleRow& of = samples_[sample];
    if (is_looked_up_[of.output]) reached_[of.output].insert(of.row);
  }
  for (auto id = static_cast<ValueId>(program_.ops().size()); id-- > 0;) {
    if (reached_[id].empty()) continue;
    if (draws_by_[id] == kNotSampled) {
      visit(id);
    } else {
      visit_segments(id, sampled_.aggregations[draws_by_[id]]);
    }
  }
}

TableRows ProgramReads::rows() {
  TableRows rows;
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    const Op& op = program_.op(id);
    const auto* weight = std::get_if<WeightOp>(&op.attributes);
    if (weight == nullptr || reached_[id].empty()) continue;
    rows[program_.parameters()[weight->parameter].name] = rows_in(reached_[id], op);
  }
  return rows;
}

void ProgramReads::visit(ValueId id) {
  const Op& op = program_.op(id);
  std::vector<std::uint32_t> rows;  // made where an operand is read by others
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    const ValueId operand = op.operands[k];
    if (!is_looked_up_[operand]) continue;
    if (reads_same_rows(program_, id, k)) {
      reached_[id].for_each_word([&](std::uint64_t word, std::uint64_t bits) {
        reached_[operand].insert_word(word, bits);
      });
      continue;
    }
    if (rows.empty()) {
      rows = rows_in(reached_[id], op);
      complete_segments(op, rows);
    }
    for (const std::uint32_t row : operand_rows(program_, id, k, rows)) {
      reached_[operand].insert(row);
    }
  }
}

void ProgramReads::visit_segments(ValueId id, const Aggregation& aggregation) {
  const Op& op = program_.op(id);
  const auto& of = std::get<SegmentOp>(op.attributes);
  const Segments& segments = of.segments;
  const bool by_member = keeps_members(of.combination);
  const bool draws = aggregation.op == id;  // and is no sum that has a softmax's
  const bool leads_on = is_looked_up_[op.operands[0]];
  RowSet& members = reached_[op.operands[0]];
  std::optional<std::uint32_t> last;
  reached_[id].for_each(0, op.rows, [&](std::uint64_t row) {
    const auto reached = static_cast<std::uint32_t>(row);
    const std::uint32_t segment = by_member ? segment_of(segments, op.rows, reached) : reached;
    if (last == segment) return;
    last = segment;
    const std::uint32_t count = member_count(segments, segment);
    const std::uint32_t first = first_member(segments, segment);
    find_places(aggregation, segment, count);
    if (leads_on) {
      for (const std::uint32_t place : places_) members.insert(first + place);
    }
    if (!draws || places_.empty()) return;
    drawn_.add(
        aggregation.first_row + first, places_,
        member_weight(aggregation.counts, members_.fanout.scales_sums, count, places_.size()));
  });
}

void ProgramReads::find_places(const Aggregation& aggregation, std::uint32_t segment,
                               std::uint32_t members) {
  draw_members(members_.seed, run_, aggregation.first_owner + segment, members, aggregation.limit,
               places_);
}

void ProgramReads::fill(const Batch::Weights& drawn, std::span<double> table) const {
  set_weights(drawn, table);
  for (const Aggregation& aggregation : sampled_.aggregations) {
    if (aggregation.counts != SampledMembers::Counts::There) continue;
    const Op& op = program_.op(aggregation.op);
    const auto& segments = std::get<SegmentOp>(op.attributes).segments;
    const std::uint32_t count = segments.count(program_.op(op.operands[0]).rows);
    for (std::uint32_t s = 0; s < count; ++s) {
      fill_if_none_is_drawn(table.subspan(aggregation.first_row + first_member(segments, s),
                                          member_count(segments, s)));
    }
  }
}

}  // namespace vecc::training
