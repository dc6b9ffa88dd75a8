#include "optimizer/passes/row_chain.h"

#include <algorithm>

#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

using Rows = std::vector<std::uint32_t>;

// Whether `kept` is whole segments, each in order; not over dimension 1.
bool is_whole_segments(const Segments& segments, const Rows& kept) {
  if (segments.is_fixed() && segments.dimension() == 1) return false;
  const auto offsets = segments.offsets();
  for (std::size_t i = 0; i < kept.size();) {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    if (segments.is_fixed()) {
      begin = kept[i] / segments.members() * segments.members();
      end = begin + segments.members();
    } else {
      const auto next = std::ranges::upper_bound(offsets, kept[i]);
      begin = *(next - 1);
      end = *next;
    }
    for (std::uint32_t row = begin; row < end; ++row, ++i) {
      if (i == kept.size() || kept[i] != row) return false;
    }
  }
  return true;
}

// Whether an op that one other reads in the order `rows` can make its rows in that order; without
// `rows`: in some order.
bool can_reorder(const Op& op, const Rows* rows) {
  switch (op.kind()) {
    case OpKind::Fact:
    case OpKind::Transform:
    case OpKind::Map: return true;
    case OpKind::Linear: {
      const auto& linear = std::get<LinearOp>(op.attributes);
      return linear.lift_left.kind == Lift::Kind::None &&
             linear.lift_right.kind == Lift::Kind::None;
    }
    case OpKind::Segment: {
      const auto& segment = std::get<SegmentOp>(op.attributes);
      return !keeps_members(segment.combination) || rows == nullptr ||
             is_whole_segments(segment.segments, *rows);
    }
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

class Planner {
 public:
  Planner(const Program& program, const Readers& readers, std::span<const Index> gather_rows)
      : program_(program), readers_(readers), gather_rows_(gather_rows) {}

  std::optional<RowChain> plan(ValueId top, Rows kept) {
    add(top, std::move(kept));
    for (std::size_t next = 0; next < chain_.values.size(); ++next) {
      if (!reorder_operands(next)) return std::nullopt;
    }
    return std::move(chain_);
  }

 private:
  void add(ValueId value, Rows kept) { chain_.values.push_back({value, std::move(kept)}); }

  // A value of the chain: its operands follow.
  bool reorder_operands(std::size_t number) {
    const Op& op = program_.op(chain_.values[number].value);
    if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
      return read(op.operands[0], members(*segment, op, chain_.values[number].kept));
    }
    return std::ranges::all_of(op.operands, [&](ValueId operand) {
      const bool is_broadcast = op.kind() == OpKind::Map && program_.op(operand).rows == 1;
      return is_broadcast || read(operand, chain_.values[number].kept);
    });
  }

  Rows members(const SegmentOp& segment, const Op& op, const Rows& kept) const {
    if (keeps_members(segment.combination)) return kept;
    return keep_segments(segment, program_.op(op.operands[0]).rows, kept).members;
  }

  // Reads `value` in the order `rows`; false if that takes a copy.
  bool read(ValueId value, Rows rows) {
    const Op& op = program_.op(value);
    if (op.rows < 2) return true;
    if (readers_.of(value).size() != 1) return false;
    if (op.kind() == OpKind::Gather) {
      const Index order = Index::list(std::move(rows));
      chain_.gathers.emplace_back(value, compose(gather_rows_[value], order));
      return true;
    }
    if (!can_reorder(op, &rows)) return false;
    add(value, std::move(rows));
    return true;
  }

  const Program& program_;
  const Readers& readers_;
  std::span<const Index> gather_rows_;
  RowChain chain_;
};

}  // namespace

bool may_have_row_chain(const Program& program, const Readers& readers, ValueId top) {
  std::vector<ValueId> chain{top};
  while (!chain.empty()) {
    const Op& op = program.op(chain.back());
    chain.pop_back();
    if (!can_reorder(op, nullptr)) return false;
    for (const ValueId operand : op.operands) {
      const Op& read = program.op(operand);
      if (read.rows < 2) continue;
      if (readers.of(operand).size() != 1) return false;
      if (read.kind() != OpKind::Gather) chain.push_back(operand);
    }
  }
  return true;
}

std::optional<RowChain> plan_row_chain(const Program& program, const Readers& readers,
                                       std::span<const Index> gather_rows, ValueId top,
                                       std::vector<std::uint32_t> kept) {
  if (!can_reorder(program.op(top), &kept)) return std::nullopt;
  return Planner(program, readers, gather_rows).plan(top, std::move(kept));
}

}  // namespace vecc::opt
