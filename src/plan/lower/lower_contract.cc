// Sums of outer products: dW[t] = the sum over the rows of type t of the gradient of `times(w, x)`
// by w.
#include <utility>

#include "src/plan/lower/lower_ops.h"
#include "src/program/inverse_index.h"

namespace vecc {

void lower_contract(const OpLowering& lowering, const ContractOp& contract) {
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
  reduce_members(lowering, lowering.op, products, Segments::ragged(std::move(readers.offsets)),
                 op.rows, Combination::Sum,
                 are_columns ? MemberKind::OuterProducts : MemberKind::Rows);
}

}  // namespace vecc
