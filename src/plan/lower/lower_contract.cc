// Sums of outer products: dW[t] = the sum over the rows of type t of the gradient of `times(w, x)`
// by w; and beside it the sum of these gradients, which is that of a bias.
#include <utility>

#include "src/plan/lower/lower_ops.h"
#include "src/program/inverse_index.h"

namespace vecc {
namespace {

// The sum of the rows `members` becomes the value `made`, in the loop of the kernel that makes
// `beside` of the same members. `sum`: the op.
void add_side_sum(OpLowering lowering, ValueId sum, ValueId made, const RowRead& members,
                  ValueId beside) {
  lowering.op = sum;
  const KernelBuilder kernel =
      lowering.builder(lowering.grouping.values[beside].group, KernelSpace::Member);
  kernel.make(made, kernel.reduce(Combination::Sum, kernel.read(members)));
}

// Both sums: of all members at once, or of pieces and then of what these make.
void reduce_side_by_side(const OpLowering& lowering, const RowRead& products, const RowRead& left,
                         const Segments& segments, ValueId sum) {
  const Op& op = lowering.program.op(lowering.op);
  const auto pieces = cut_long_segments(lowering.options, lowering.op, segments, op.rows, op.shape,
                                        MemberKind::OuterProducts);
  if (!pieces) {
    reduce_members(lowering, lowering.op, products, segments, op.rows, Combination::Sum,
                   MemberKind::OuterProducts);
    return add_side_sum(lowering, sum, sum, left, lowering.op);
  }
  const RowRead partial = lowering.add_temporary(pieces->pieces, op.shape);
  const RowRead partial_sum = lowering.add_temporary(pieces->pieces, lowering.shape_of(sum));
  reduce_members(lowering, partial.value, products, pieces->of_members, pieces->pieces,
                 Combination::Sum, MemberKind::Pieces);
  add_side_sum(lowering, sum, partial_sum.value, left, partial.value);
  OpLowering of_sum = lowering;
  of_sum.op = sum;
  reduce_members(of_sum, sum, partial_sum, pieces->of_pieces, op.rows, Combination::Sum);
  reduce_members(lowering, lowering.op, partial, pieces->of_pieces, op.rows, Combination::Sum);
}

}  // namespace

void lower_contract(const OpLowering& lowering, const ContractOp& contract, ValueId side_sum) {
  const Op& op = lowering.program.op(lowering.op);
  InverseIndex readers = inverse_index(contract.types, contract.type_count);
  const Index order = Index::compact(std::move(readers.readers));
  RowRead reads[2];
  for (const std::size_t k : {0u, 1u}) {
    RowRead& read = reads[k];
    read = lowering.read_of(op.operands[k]);
    read.index = through(read, order, lowering.grouping.values[read.value].rows).index;
  }
  // By itself, so that the sum takes it in: a product a row is never stored.
  const KernelBuilder kernel = lowering.begin_new_rows(order.size(), reads);
  const NodeIndex g = kernel.read(reads[0]);
  const NodeIndex x = kernel.read(reads[1]);
  const RowRead products = lowering.add_temporary(order.size(), contract.weight_shape);
  kernel.make(products.value, kernel.times_gradient(g, x, contract.weight_shape, true));
  const bool are_columns = !reads[0].shape.is_scalar() && !reads[1].shape.is_scalar();
  const Segments segments = Segments::ragged(std::move(readers.offsets));
  if (side_sum != kNone) {
    return reduce_side_by_side(lowering, products, reads[0], segments, side_sum);
  }
  reduce_members(lowering, lowering.op, products, segments, op.rows, Combination::Sum,
                 are_columns ? MemberKind::OuterProducts : MemberKind::Rows);
}

}  // namespace vecc
