// The backward rules of the ops that apply a function: segment, transform, map.
#include <utility>

#include "src/differentiate/op_gradients.h"
#include "src/function/expr_reads.h"

namespace vecc::autodiff {
namespace {

// By member: its segment. Fixed over dimension 2 each segment stands for its members in a row.
Index owners(const Segments& segments, std::uint32_t rows) {
  if (segments.is_fixed()) {
    const std::uint32_t count = segments.count(rows);
    return segments.dimension() == 1 ? Index::repeat(count, segments.members())
                                     : Index::interleave(count, segments.members());
  }
  std::vector<std::uint32_t> owner(rows);
  const auto offsets = segments.offsets();
  for (std::uint32_t s = 0; s + 1 < offsets.size(); ++s) {
    std::fill(owner.begin() + offsets[s], owner.begin() + offsets[s + 1], s);
  }
  return Index::compact(std::move(owner));
}

// 1 / n by segment of n members; 0 for one without: it is never read.
std::vector<double> shares(std::span<const std::uint32_t> offsets) {
  std::vector<double> result;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::uint32_t members = offsets[s + 1] - offsets[s];
    result.push_back(members == 0 ? 0.0 : 1.0 / members);
  }
  return result;
}

// Elementwise `$0` times a number.
Expr scaled(double factor) {
  Expr expr;
  expr.nodes.resize(3);
  expr.nodes[1].kind = ExprNode::Kind::Constant;
  expr.nodes[1].constant = factor;
  expr.nodes[2].kind = ExprNode::Kind::Combine;
  expr.nodes[2].combination = Combination::ElProduct;
  expr.nodes[2].arity = 2;
  return expr;
}

}  // namespace

void OpGradients::pass(const SegmentOp& segment, ValueId id, ValueId g) {
  const ValueId operand = program_.op(id).operands[0];
  const std::uint32_t rows = program_.op(operand).rows;
  if (rows == 0) return;
  ValueId share = g;
  switch (segment.combination) {
    case Combination::Count: return;
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::Concat:
    case Combination::Softmax:
    case Combination::Sparsemax:
    case Combination::ElProduct: append_vjp({segment, 0, {}}, id, g); return;
    case Combination::Avg:
      if (segment.segments.is_fixed()) {
        share = program_.map(scaled(1.0 / segment.segments.members()), std::vector{g}, note_);
      } else {
        const ValueId factors = program_.fact(shares(segment.segments.offsets()),
                                              program_.op(id).rows, Shape::scalar(), note_);
        share = program_.linear(factors, g, {}, note_);
      }
      break;
    case Combination::Sum: break;
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: fail_check("no segment", __FILE__, __LINE__, note_);
  }
  sums_.add_read(operand, {share, owners(segment.segments, rows)});
}

void OpGradients::pass(const TransformOp& transform, ValueId id, ValueId g) {
  const ValueId operand = program_.op(id).operands[0];
  const TransformationInfo& about = info(transform.transformation.id);
  if (about.derivative == FunctionDerivative::Zero) return;
  switch (about.form) {
    case FunctionForm::Same: sums_.add(operand, g); return;
    case FunctionForm::Shape: sums_.add(operand, reshape(g, program_.op(operand).shape)); return;
    case FunctionForm::Transposed: sums_.add(operand, transpose(g)); return;
    case FunctionForm::Part:
      if (transform.transformation.id == Transformation::Slice && transform.words->size() == 4) {
        return sums_.add_slice(operand, {transform, 0, program_.op(operand).shape}, g);
      }
      append_vjp({transform, 0, {}}, id, g);
      return;
    case FunctionForm::Entries:
    case FunctionForm::Row:
    case FunctionForm::Column:
    case FunctionForm::Entry:
    case FunctionForm::Broadcast: append_vjp({transform, 0, {}}, id, g); return;
  }
  fail_check("known form", __FILE__, __LINE__, note_);
}

// A term of a sum has the sum's own gradient; one row that is added to all rows that of all of them
// together, once for all such rows: biases of a sum.
void OpGradients::pass(const MapOp& map, ValueId id, ValueId g) {
  const Operands operands = program_.op(id).operands;
  const bool is_sum = is_plain_sum(*map.expr);
  for (std::uint32_t k = 0; k < operands.size(); ++k) {
    const std::size_t reads = count_reads(*map.expr, k);
    if (reads == 0 || !sums_.wants(operands[k])) continue;
    const Op& operand = program_.op(operands[k]);
    const Op& gradient = program_.op(g);
    const bool is_term =
        is_sum && reads == 1 && operand.shape.is_scalar() == gradient.shape.is_scalar();
    if (is_term && operand.rows == gradient.rows) {
      sums_.add(operands[k], reshape(g, operand.shape));
    } else if (const auto same = row_sums_.find(g); is_term && same != row_sums_.end()) {
      sums_.add(operands[k], reshape(same->second, operand.shape));
    } else {
      const ValueId vjp = append_vjp({map, k, {}}, id, g);
      if (is_term) row_sums_[g] = vjp;
    }
  }
}

ValueId OpGradients::append_vjp(VjpOp vjp, ValueId id, ValueId g) {
  const Operands of = program_.op(id).operands;
  const ValueId operand = of[vjp.wrt];
  vjp.shape = program_.op(operand).shape;
  const VjpReads reads = reads_of(vjp);
  Operands operands;
  if (reads.operands) {
    for (const ValueId read : of) operands.push_back(reread(read));
  }
  if (reads.result) operands.push_back(id);
  operands.push_back(g);
  auto added = program_.add(std::move(vjp), std::move(operands), note_);
  VECC_CHECK(added.has_value(), added.error().text());
  sums_.add(operand, *added);
  return *added;
}

}  // namespace vecc::autodiff
