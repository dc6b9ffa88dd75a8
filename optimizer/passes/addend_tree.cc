#include "optimizer/passes/addend_tree.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "optimizer/passes/reorder_linear_work.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// Whether a map adds up operands of its own shape, each times scalars and numbers.
bool adds_rows(const Program& program, const Op& op) {
  const auto* map = std::get_if<MapOp>(&op.attributes);
  if (map == nullptr || op.shape.is_scalar()) return false;
  std::vector<bool> is_row;  // of the nodes that are read next; else a scalar
  for (const ExprNode& node : map->expr->nodes) {
    if (node.kind == ExprNode::Kind::Constant) {
      is_row.push_back(false);
    } else if (node.kind == ExprNode::Kind::Input) {
      const Shape shape = program.op(op.operands[node.input]).shape;
      if (shape != op.shape && !shape.is_scalar()) return false;
      is_row.push_back(shape == op.shape);
    } else {
      const auto first = is_row.end() - node.arity;
      const auto rows = std::count(first, is_row.end(), true);
      const bool is_sum = node.combination == Combination::Sum && rows == node.arity;
      const bool is_scaled = node.combination == Combination::ElProduct && rows == 1;
      if (node.kind != ExprNode::Kind::Combine || (!is_sum && !is_scaled)) return false;
      is_row.erase(first, is_row.end());
      is_row.push_back(true);
    }
  }
  return is_row.back();
}

}  // namespace

AddendTree::Kind AddendTree::kind_of(ValueId id) const {
  const Op& of = op(id);
  if (view_.is_constant(id)) return {};
  if (of.kind() == OpKind::Gather) return {AddendKind::Gathered, 0};
  if (adds_rows(view_.program(), of)) return {AddendKind::Sum, 0};
  if (const auto* segment = std::get_if<SegmentOp>(&of.attributes)) {
    const bool adds =
        segment->combination == Combination::Sum || segment->combination == Combination::Avg;
    return {adds ? AddendKind::Members : AddendKind::Rest, 0};
  }
  const auto* linear = std::get_if<LinearOp>(&of.attributes);
  return linear == nullptr || has_lifts(*linear) ? Kind{} : kind_of_linear(id, *linear);
}
AddendTree::Kind AddendTree::kind_of_linear(ValueId id, const LinearOp& linear) const {
  const Factor left = view_.factor(id, 0);
  const Factor right = view_.factor(id, 1);
  if (left.shape.is_scalar()) {
    return {linear.transpose_right ? AddendKind::Rest : AddendKind::Scaled, 1};
  }
  if (right.shape.is_scalar()) {
    return {linear.transpose_left ? AddendKind::Rest : AddendKind::Scaled, 0};
  }
  const bool is_product = is_one_row(left) && op(id).rows > 1;
  return {is_product ? AddendKind::Product : AddendKind::Rest, 0};
}

bool AddendTree::is_one_row(const Factor& factor) const {
  return factor.rows.size() > 0 && count_distinct(factor.rows, op(factor.source).rows) == 1;
}

// A value that is read twice, or else in more rows than it has, is made in all of its rows.
void AddendTree::reach(Addends& found, ValueId id, bool all, Index rows) const {
  all = all || (!row_by_row_ && rows.size() > op(id).rows);
  const auto [at, is_new] = found.try_emplace(id);
  at->second.all = all || !is_new;
  if (is_new && !all) at->second.rows = std::move(rows);
}

Addends AddendTree::collect(ValueId top) const {
  Addends found;
  reach(found, top, false, Index::slice(0, op(top).rows));
  // From the last value on: all that read a value stand before it.
  for (auto at = found.end(); at != found.begin() && found.size() <= kMost;) {
    auto& [id, addend] = *--at;
    const Kind kind = kind_of(id);
    addend.kind = kind.kind;
    addend.carried = kind.carried;
    addend.all = addend.all || kind.kind == AddendKind::Members;
    for (const ValueId operand : carried_operands(id, addend)) {
      reach(found, operand, addend.all, rows_of(id, addend, operand));
    }
  }
  return found;
}

std::vector<ValueId> AddendTree::carried_operands(ValueId id, const Addend& addend) const {
  const Operands& all = op(id).operands;
  switch (addend.kind) {
    case AddendKind::Rest:
    case AddendKind::Product: return {};
    case AddendKind::Sum: {
      std::vector<ValueId> rows;
      std::ranges::copy_if(all, std::back_inserter(rows),
                           [&](ValueId v) { return op(v).shape == op(id).shape; });
      return rows;
    }
    case AddendKind::Members:
    case AddendKind::Gathered: return {all[0]};
    case AddendKind::Scaled: return {all[addend.carried]};
  }
  return {};
}

Index AddendTree::made_rows(ValueId id, const Addend& addend) const {
  return addend.all ? Index::slice(0, op(id).rows) : addend.rows;
}
std::uint32_t AddendTree::row_count(ValueId id, const Addend& addend) const {
  return addend.all ? op(id).rows : addend.rows.size();
}
Index AddendTree::rows_of(ValueId id, const Addend& addend, ValueId operand) const {
  if (addend.kind == AddendKind::Members) return Index::slice(0, op(operand).rows);
  const Index rows = made_rows(id, addend);
  if (addend.kind == AddendKind::Gathered) {
    return compose(std::get<GatherOp>(op(id).attributes).index, rows);
  }
  const bool is_broadcast = op(operand).rows == 1 && op(id).rows != 1;
  return is_broadcast ? Index::slice(0, 1) : rows;
}

std::vector<ValueId> AddendTree::find_gone(const Addends& found, ValueId top) const {
  std::vector<ValueId> gone;
  for (auto at = found.rbegin(); at != found.rend(); ++at) {
    const bool goes = std::ranges::all_of(readers_.of(at->first), [&](ValueId reader) {
      return reader == top || std::ranges::count(gone, reader) > 0;
    });
    if (goes && at->second.kind != AddendKind::Rest) gone.push_back(at->first);
  }
  return gone;
}

double AddendTree::work_of(ValueId id, const Addend& addend, Shape shape, std::uint32_t rows,
                           Shape left) const {
  WorkEstimate work(view_.program().dtype());
  switch (addend.kind) {
    case AddendKind::Sum:
      if (view_.fuses_maps()) {
        work.fused_sum(shape, rows, carried_operands(id, addend).size());
        break;
      }
      work.launch();
      work.reads(shape, rows);
      for (const ValueId v : carried_operands(id, addend)) {
        work.reads(shape, std::min(op(v).rows, rows));
      }
      break;
    case AddendKind::Members: {
      const auto combination = std::get<SegmentOp>(op(id).attributes).combination;
      work.segment(shape, op(op(id).operands[0]).rows, rows, combination);
      break;
    }
    case AddendKind::Gathered:
      if (addend.all) work.gather(shape, rows);
      break;
    case AddendKind::Scaled:
      work.launch();
      work.products(Shape::scalar(), shape, rows);
      work.reads(shape, rows);
      break;
    case AddendKind::Product: {
      const Factor right = view_.factor(id, 1);
      work.launch();
      work.products(left, right.shape, rows);
      work.reads(right.shape, std::min(rows, op(right.source).rows));
      break;
    }
    case AddendKind::Rest:
      work.launch();
      work.products(left, op(id).shape, rows);
      work.reads(op(id).shape, rows);
      break;
  }
  return work.total();
}

}  // namespace vecc::opt
