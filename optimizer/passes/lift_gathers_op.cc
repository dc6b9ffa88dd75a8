#include "optimizer/passes/lift_gathers_op.h"

#include <utility>

#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/program/select_rows.h"

namespace vecc::opt {
namespace {

LiftedOp reads_same_rows(OpAttributes attributes, const Index& rows) {
  return {std::move(attributes), rows, {0}};
}

std::optional<LiftedOp> lift_segment(const SegmentOp& segment, std::uint32_t operand_rows,
                                     const Index& rows) {
  const std::vector<std::uint32_t> wanted = rows.materialize();
  if (keeps_members(segment.combination) &&
      !whole_segments(segment.segments, operand_rows, wanted)) {
    return std::nullopt;
  }
  KeptSegments kept = keep_segments(segment, operand_rows, wanted);
  return LiftedOp{SegmentOp{std::move(kept.segments), segment.combination},
                  Index::compact(std::move(kept.members)),
                  {0}};
}

// The lift that reads of an operand's rows what `rows` read through `lift`; none if none does.
std::optional<Lift> lift_of(const Lift& lift, std::uint32_t operand_rows, const Index& rows) {
  if (operand_rows == 0 || rows.size() % operand_rows != 0) return std::nullopt;
  Lift result{lift.kind, rows.size() / operand_rows};
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (unlifted_row(result, operand_rows, i) != unlifted_row(lift, operand_rows, rows[i])) {
      return std::nullopt;
    }
  }
  return result.times == 1 ? Lift() : result;
}

std::optional<LiftedOp> lift_linear(const ProgramReads& reads, ValueId id, LinearOp linear,
                                    const Index& rows, bool through_broadcasts) {
  const bool left = linear.lift_left.kind != Lift::Kind::None;
  const bool right = linear.lift_right.kind != Lift::Kind::None;
  if (!left && !right) return LiftedOp{linear, rows, {0, 1}};
  if ((left && right) || !through_broadcasts) return std::nullopt;
  Lift& lift = left ? linear.lift_left : linear.lift_right;
  const auto now = lift_of(lift, reads.of(id)[left ? 0 : 1].rows.size(), rows);
  if (!now) return std::nullopt;
  lift = *now;
  return LiftedOp{linear, rows, {left ? 1u : 0u}};
}

LiftedOp lift_map(const ProgramReads& reads, ValueId id, const MapOp& map, const Index& rows) {
  LiftedOp result{map, rows, {}};
  for (std::uint32_t k = 0; k < reads.of(id).size(); ++k) {
    const bool broadcast = reads.of(id)[k].rows.size() == 1 && reads.op(id).rows > 1;
    if (!broadcast) result.operands.push_back(k);
  }
  return result;
}

}  // namespace

bool takes_gathers(OpKind kind) {
  switch (kind) {
    case OpKind::Fact:
    case OpKind::Linear:
    case OpKind::Segment:
    case OpKind::Transform:
    case OpKind::Map: return true;
    case OpKind::Weight:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum:
    case OpKind::State:
    case OpKind::Update:
    case OpKind::Output: return false;
  }
  return false;
}

std::uint64_t count_rows_read(const Op& op, const Index& rows) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  if (segment == nullptr || keeps_members(segment->combination)) return rows.size();
  return total_of(rows.size(),
                  [&](std::uint32_t i) { return member_count(segment->segments, rows[i]); });
}

std::optional<LiftedOp> lift_op(const ProgramReads& reads, ValueId id, const Index& rows,
                                bool through_broadcasts) {
  const OpAttributes& attributes = reads.op(id).attributes;
  switch (reads.op(id).kind()) {
    case OpKind::Fact: return LiftedOp{select_rows(std::get<FactOp>(attributes), rows), rows, {}};
    case OpKind::Linear:
      return lift_linear(reads, id, std::get<LinearOp>(attributes), rows, through_broadcasts);
    case OpKind::Segment:
      return lift_segment(std::get<SegmentOp>(attributes), reads.of(id)[0].rows.size(), rows);
    case OpKind::Transform:
      return reads_same_rows(select_rows(std::get<TransformOp>(attributes), rows), rows);
    case OpKind::Map: return lift_map(reads, id, std::get<MapOp>(attributes), rows);
    case OpKind::Weight:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum:
    case OpKind::State:
    case OpKind::Update:
    case OpKind::Output: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace vecc::opt
