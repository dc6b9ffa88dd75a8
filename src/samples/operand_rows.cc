#include "src/samples/operand_rows.h"

#include <algorithm>

#include "src/program/members.h"

namespace vecc {
namespace {

using Rows = std::vector<std::uint32_t>;

Rows rows_of_concat(const Program& program, const Op& op, std::size_t k, const Rows& rows) {
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < k; ++i) begin += program.op(op.operands[i]).rows;
  const std::uint32_t end = begin + program.op(op.operands[k]).rows;
  const auto first = std::ranges::lower_bound(rows, begin);
  Rows result(first, std::ranges::lower_bound(rows, end));
  for (std::uint32_t& row : result) row -= begin;
  return result;
}

}  // namespace

bool reads_same_rows(const Program& program, ValueId id, std::size_t k) {
  const Op& op = program.op(id);
  if (program.op(op.operands[k]).rows != op.rows) return false;
  if (op.kind() == OpKind::Gather || op.kind() == OpKind::Segment || op.kind() == OpKind::Concat) {
    return false;
  }
  const auto* linear = std::get_if<LinearOp>(&op.attributes);
  if (linear == nullptr) return true;
  return (k == 0 ? linear->lift_left : linear->lift_right).kind == Lift::Kind::None;
}

std::vector<std::uint32_t> operand_rows(const Program& program, ValueId id, std::size_t k,
                                        const std::vector<std::uint32_t>& rows) {
  const Op& op = program.op(id);
  const std::uint32_t count = program.op(op.operands[k]).rows;
  if (const auto* gather = std::get_if<GatherOp>(&op.attributes)) {
    Rows result = rows;
    for (std::uint32_t& row : result) row = gather->index[row];
    return result;
  }
  if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
    return keep_segments(*segment, count, rows).members;
  }
  if (const auto* linear = std::get_if<LinearOp>(&op.attributes)) {
    const Lift& lift = k == 0 ? linear->lift_left : linear->lift_right;
    Rows result = rows;
    for (std::uint32_t& row : result) row = unlifted_row(lift, count, row);
    return result;
  }
  if (op.kind() == OpKind::Concat) return rows_of_concat(program, op, k, rows);
  if (op.kind() == OpKind::Map && count == 1) return {0};
  return rows;
}

void complete_segments(const Op& op, std::vector<std::uint32_t>& rows) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  if (segment == nullptr || !keeps_members(segment->combination)) return;
  const Segments& segments = segment->segments;
  Rows reached;
  for (const std::uint32_t row : rows) reached.push_back(segment_of(segments, op.rows, row));
  std::ranges::sort(reached);
  reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
  rows.clear();
  for (const std::uint32_t s : reached) {
    for_each_member(segments, op.rows, s, [&](std::uint32_t row) { rows.push_back(row); });
  }
  std::ranges::sort(rows);
}

}  // namespace vecc
