#include "optimizer/passes/product_slices.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace vecc::opt {
namespace {

// Matrices are sliced once for so many products of each.
constexpr std::uint64_t kLeastUses = 4;
// A product of fewer entries has less work to share among lanes than one of all of them.
constexpr std::uint32_t kLeastEntries = 32;
bool is_column(Shape shape) {
  return !shape.is_scalar() && shape.cols() == 1;
}

// The entries of a column that a slice reads; none if it is no such slice.
std::optional<EntryRange> slice_range(const Program& program, const Op& op) {
  const auto* transform = std::get_if<TransformOp>(&op.attributes);
  if (transform == nullptr || transform->transformation.id != Transformation::Slice) return {};
  if (!transform->words || transform->words->size() != 4) return {};  // rows differ
  const Shape from = program.op(op.operands[0]).shape;
  if (!is_column(from) || !is_column(op.shape) || op.shape.rows() < kLeastEntries ||
      op.shape == from) {
    return {};
  }
  const std::uint32_t begin = (*transform->words)[0];
  return EntryRange{begin, begin + op.shape.rows()};
}

// Whether an expression computes each entry of the result of the same entry of its operands, and of
// numbers.
bool is_entrywise(const Expr& expr) {
  return std::ranges::all_of(expr.nodes, [](const ExprNode& node) {
    switch (node.kind) {
      case ExprNode::Kind::Input:
      case ExprNode::Kind::Constant: return true;
      case ExprNode::Kind::Transform:
        return info(node.transformation.id).form == FunctionForm::Same ||
               info(node.transformation.id).form == FunctionForm::Entries;
      case ExprNode::Kind::Combine:
        return node.combination == Combination::Sum || node.combination == Combination::ElProduct;
      case ExprNode::Kind::Draw: return false;  // numbers of an entry depend on its place
    }
    return false;
  });
}

}  // namespace

bool is_column_product(const Program& program, ValueId id) {
  const Op& op = program.op(id);
  const auto* linear = std::get_if<LinearOp>(&op.attributes);
  if (linear == nullptr || linear->transpose_right || linear->lift_left.kind != Lift::Kind::None ||
      linear->lift_right.kind != Lift::Kind::None) {
    return false;
  }
  const Op& matrix = program.op(read_through(program, op.operands[0]).source);
  return !matrix.shape.is_scalar() && is_column(program.op(op.operands[1]).shape) &&
         is_column(op.shape);
}

bool is_shared_product(const Program& program, ValueId id) {
  const Op& op = program.op(id);
  return is_column_product(program, id) &&
         program.op(read_through(program, op.operands[0]).source).rows * kLeastUses <= op.rows;
}

ProductSlices::ProductSlices(const Program& program)
    : program_(program),
      readers_(program),
      sliced_(program.ops().size(), false),
      reaching_(program.ops().size(), false),
      slices_(program.ops().size(), false) {
  constexpr int kMostRounds = 16;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (!is_column_product(program, id)) continue;
    uses_[read_through(program, op(id).operands[0]).source] += op(id).rows;
  }
  find_sliced();
  find_reaching();
  for (int round = 0; drop_shared(); ++round) {
    if (round == kMostRounds) return;
    find_reaching();
  }
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (!slice_range(program, op(id)) || !reaching_[op(id).operands[0]]) continue;
    slices_[id] = true;
    ++count_;
  }
}

// A step of a recurrence may have few rows; its matrix is that of all steps.
bool ProductSlices::is_product(ValueId id) const {
  if (!is_column_product(program_, id)) return false;
  const ValueId matrix = read_through(program_, op(id).operands[0]).source;
  return op(matrix).rows * kLeastUses <= uses_.at(matrix);
}

// Whether an entry of the result is made of the same entry of all operands that are as long.
bool ProductSlices::carries(ValueId id) const {
  const Op& it = op(id);
  if (!is_column(it.shape)) return false;
  if (it.kind() == OpKind::Gather || it.kind() == OpKind::Concat) return true;
  if (const auto* transform = std::get_if<TransformOp>(&it.attributes)) {
    const FunctionForm form = info(transform->transformation.id).form;
    return form == FunctionForm::Same || form == FunctionForm::Entries;
  }
  const auto* map = std::get_if<MapOp>(&it.attributes);
  return map != nullptr && is_entrywise(*map->expr) &&
         std::ranges::all_of(it.operands, [&](ValueId operand) {
           return op(operand).shape.is_scalar() || op(operand).shape == it.shape;
         });
}

// From the readers back: which entries are read, by slices of the value or of what it is carried
// to.
void ProductSlices::find_sliced() {
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> ranges(program_.ops().size());
  for (auto id = static_cast<ValueId>(program_.ops().size()); id-- > 0;) {
    const auto readers = readers_.of(id);
    if (readers.empty() || !is_column(op(id).shape)) continue;
    auto& own = ranges[id];
    const bool all = std::ranges::all_of(readers, [&](ValueId reader) {
      if (const auto range = slice_range(program_, op(reader))) {
        own.emplace_back(range->begin, range->end);
        return true;
      }
      if (!carries(reader) || op(reader).shape != op(id).shape || !sliced_[reader]) return false;
      own.insert(own.end(), ranges[reader].begin(), ranges[reader].end());
      return true;
    });
    if (!all) continue;
    // Entries of two ranges would be computed twice.
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    const auto overlaps = [](const auto& x, const auto& y) { return y.first < x.second; };
    sliced_[id] = std::ranges::adjacent_find(own, overlaps) == own.end();
  }
}

// What carries a value whole, since another operand of it is whole, needs the value whole. Whether
// there was any.
bool ProductSlices::drop_shared() {
  bool dropped = false;
  for (auto id = static_cast<ValueId>(program_.ops().size()); id-- > 0;) {
    if (!sliced_[id] || !reaching_[id]) continue;
    sliced_[id] = std::ranges::all_of(readers_.of(id), [&](ValueId reader) {
      return slice_range(program_, op(reader)) || (sliced_[reader] && reaching_[reader]);
    });
    dropped = dropped || !sliced_[id];
  }
  return dropped;
}

void ProductSlices::find_reaching() {
  reaching_.assign(program_.ops().size(), false);
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    if (!sliced_[id]) continue;
    if (is_product(id)) {
      reaching_[id] = true;
      continue;
    }
    if (!carries(id)) continue;
    bool has_product = false;
    const bool all = std::ranges::all_of(op(id).operands, [&](ValueId operand) {
      if (op(operand).shape != op(id).shape) return true;  // a number
      has_product = has_product || reaching_[operand];
      return reaching_[operand] || op(operand).rows == 1;
    });
    reaching_[id] = all && has_product;
  }
}

ValueId ProductSlices::make(Rewriter& rewriter, ValueId slice) {
  return sliced(rewriter, op(slice).operands[0], *slice_range(program_, op(slice)));
}

ValueId ProductSlices::slice_of(Rewriter& rewriter, ValueId value,
                                std::vector<std::uint32_t> words) {
  const auto [found, is_new] = slices_made_.try_emplace({value, words});
  if (is_new) {
    TransformOp slice;
    slice.transformation.id = Transformation::Slice;
    slice.words = std::make_shared<const std::vector<std::uint32_t>>(std::move(words));
    found->second = rewriter.add(slice, {rewriter.at(value)}, value);
  }
  return found->second;
}

ValueId ProductSlices::sliced_product(Rewriter& rewriter, ValueId product, EntryRange range) {
  const auto& linear = std::get<LinearOp>(op(product).attributes);
  const GatheredRows left = read_through(program_, op(product).operands[0]);
  const Shape matrix = op(left.source).shape;
  const std::vector<std::uint32_t> words =
      linear.transpose_left ? std::vector<std::uint32_t>{0, matrix.rows(), range.begin, range.end}
                            : std::vector<std::uint32_t>{range.begin, range.end, 0, matrix.cols()};
  const ValueId part = slice_of(rewriter, left.source, words);
  return rewriter.add(
      linear, {rewriter.gather(part, left.rows), rewriter.at(op(product).operands[1])}, product);
}

ValueId ProductSlices::sliced(Rewriter& rewriter, ValueId value, EntryRange range) {
  if (!reaching_[value]) return slice_of(rewriter, value, {range.begin, range.end, 0, 1});
  const auto found = made_.find({value, range.begin, range.end});
  if (found != made_.end()) return found->second;
  ValueId now = 0;
  if (is_product(value)) {
    now = sliced_product(rewriter, value, range);
  } else if (const auto* gather = std::get_if<GatherOp>(&op(value).attributes)) {
    now = rewriter.gather(sliced(rewriter, op(value).operands[0], range), gather->index,
                          op(value).note);
  } else {
    const Operands operands = mapped(op(value).operands, [&](ValueId operand) {
      return op(operand).shape == op(value).shape ? sliced(rewriter, operand, range)
                                                  : rewriter.at(operand);
    });
    now = rewriter.add(op(value).attributes, operands, value);
  }
  made_.emplace(std::tuple(value, range.begin, range.end), now);
  return now;
}

}  // namespace vecc::opt
