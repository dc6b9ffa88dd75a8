#include "backends/torch/fused_sums.h"

#include <numeric>

#include "backends/torch/linear_operands.h"

namespace vecc::libtorch {
namespace {

// The operand's rows, segment after segment; empty if they stand so already.
std::vector<std::uint32_t> member_rows(const Segments& segments, std::uint32_t rows) {
  if (!segments.is_fixed() || segments.dimension() == 2) return {};
  const std::uint32_t count = segments.count(rows);
  std::vector<std::uint32_t> result;
  result.reserve(rows);
  for (std::uint32_t s = 0; s < count; ++s) {
    for (std::uint32_t k = 0; k < segments.members(); ++k) result.push_back(k * count + s);
  }
  return result;
}

std::vector<std::uint32_t> member_offsets(const Segments& segments, std::uint32_t rows) {
  if (!segments.is_fixed()) return {segments.offsets().begin(), segments.offsets().end()};
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t s = 0; s <= segments.count(rows); ++s) {
    offsets.push_back(s * segments.members());
  }
  return offsets;
}

}  // namespace

const GatherOp* list_gather(const Op& op) {
  const auto* gather = std::get_if<GatherOp>(&op.attributes);
  return gather != nullptr && gather->index.form() == Index::Form::List ? gather : nullptr;
}

FusedSums::FusedSums(const Program& program, bool fuse)
    : program_(program), members_(program.ops().size()) {
  if (!fuse) return;
  const std::vector<std::uint32_t> readers = count_readers(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const auto* segment = std::get_if<SegmentOp>(&program.op(id).attributes);
    if (segment == nullptr) continue;
    const bool adds =
        segment->combination == Combination::Sum || segment->combination == Combination::Avg;
    if (adds) members_[id] = find_members(id, readers);
  }
}

FusedSums::Members FusedSums::find_members(ValueId segment,
                                           const std::vector<std::uint32_t>& readers) const {
  Members members;
  ValueId from = program_.op(segment).operands[0];
  const Op* op = &program_.op(from);
  if (const auto* linear = std::get_if<LinearOp>(&op->attributes);
      linear != nullptr && readers[from] == 1) {
    for (const std::uint32_t side : {0U, 1U}) {
      if (members.scaling != kNone || !are_factors(from, side)) continue;
      members.scaling = from;
      members.factors = side;
    }
    if (members.scaling == kNone) return {};
    from = op->operands[1 - members.factors];
    op = &program_.op(from);
  }
  if (list_gather(*op) != nullptr && readers[from] == 1) {
    members.gather = from;
    from = op->operands[0];
  }
  // Fixed segments that no gather comes before are a dense sum, which is as fast.
  const auto& segments = std::get<SegmentOp>(program_.op(segment).attributes).segments;
  const bool gains = members.gather != kNone || (members.scaling != kNone && !segments.is_fixed());
  if (gains) members.source = from;
  return gains ? members : Members{};
}

// Whether an operand of a linear is one constant scalar a row, and the other one is only scaled: in
// its own order, not turned in a way that moves its elements.
bool FusedSums::are_factors(ValueId linear, std::uint32_t side) const {
  const auto& attributes = std::get<LinearOp>(program_.op(linear).attributes);
  const Op& factor = program_.op(program_.op(linear).operands[side]);
  const Op& other = program_.op(program_.op(linear).operands[1 - side]);
  if (!factor.shape.is_scalar()) return false;
  const bool constant =
      factor.kind() == OpKind::Fact ||
      (factor.kind() == OpKind::Gather && program_.op(factor.operands[0]).kind() == OpKind::Fact);
  const bool moves = is_transposed(attributes, 1 - side) && other.shape.is_matrix();
  return constant && !moves && !is_lifted(lift_of(attributes, 1 - side));
}

std::vector<double> FusedSums::factors(const Members& members) const {
  const auto& linear = std::get<LinearOp>(program_.op(members.scaling).attributes);
  const Op& factor = program_.op(program_.op(members.scaling).operands[members.factors]);
  const auto* gather = std::get_if<GatherOp>(&factor.attributes);
  const Op& fact = gather != nullptr ? program_.op(factor.operands[0]) : factor;
  const auto& values = std::get<FactOp>(fact.attributes).values;
  std::vector<double> result;
  result.reserve(program_.op(members.scaling).rows);
  for (std::uint32_t e = 0; e < program_.op(members.scaling).rows; ++e) {
    const std::uint32_t row = row_before(lift_of(linear, members.factors), factor.rows, e);
    const std::uint32_t source = gather != nullptr ? gather->index[row] : row;
    result.push_back(values ? values[source] : 1);
  }
  return result;
}

RowSumPlan FusedSums::plan(ValueId segment) const {
  const Members& members = members_[segment];
  const auto& segments = std::get<SegmentOp>(program_.op(segment).attributes).segments;
  const std::uint32_t rows = program_.op(program_.op(segment).operands[0]).rows;
  RowSumPlan plan;
  plan.offsets = member_offsets(segments, rows);
  plan.rows = member_rows(segments, rows);
  plan.source_rows = program_.op(members.source).rows;
  if (members.scaling != kNone) {
    const std::vector<double> by_row = factors(members);
    plan.factors = by_row;
    for (std::size_t e = 0; e < plan.rows.size(); ++e) plan.factors[e] = by_row[plan.rows[e]];
  }
  if (members.gather == kNone) return plan;
  const auto& index = std::get<GatherOp>(program_.op(members.gather).attributes).index;
  if (plan.rows.empty()) {
    plan.rows.assign(index.array().begin(), index.array().end());
  } else {
    for (std::uint32_t& row : plan.rows) row = index[row];
  }
  return plan;
}

RowSumPlan plan_gather(const Index& index, std::uint32_t source_rows) {
  RowSumPlan plan{std::vector<std::uint32_t>(index.size() + std::size_t{1}),
                  index.materialize(),
                  {},
                  source_rows};
  std::iota(plan.offsets.begin(), plan.offsets.end(), 0U);
  return plan;
}

RowSumPlan plan_ragged_sum(const Segments& segments) {
  const auto offsets = segments.offsets();
  return {{offsets.begin(), offsets.end()}, {}, {}, offsets.back()};
}

}  // namespace vecc::libtorch
