// Products of rows.
#include <array>
#include <utility>

#include "src/plan/lower/lower_ops.h"

namespace vecc {
namespace {

// Whether a row times a matrix that rows share is computed as the transposed matrix times a column:
// the same products, added up in the same order, in blocks of rows.
bool turns_round(const OpLowering& lowering, std::uint32_t rows,
                 const std::array<RowRead, 2>& reads, bool transpose_left) {
  const Shape left = transpose_left ? reads[0].shape.transposed() : reads[0].shape;
  if (left.rows() != 1 || left.is_scalar() || !reads[1].shape.is_matrix()) return false;
  return shares_matrix_by_type(lowering.program, lowering.options, rows, reads[1]) ||
         shares_one_matrix(reads[1]);
}

KernelBuilder begin_product(const OpLowering& lowering, std::uint32_t rows,
                            std::array<RowRead, 2>& reads) {
  if (shares_matrix_by_type(lowering.program, lowering.options, rows, reads[0])) {
    const KernelBuilder kernel = lowering.begin_new_rows(rows, reads);
    kernel.group().types = lowering.grouping.arrays.add(*reads[0].index);
    reads[0].by_tile = true;
    return kernel;
  }
  if (!shares_one_matrix(reads[0])) {
    return lowering.begin_rows(rows, reads, EntryLoop::WholeRows);
  }
  if (is_split_over_blocks(lowering.options.target, reads[0].shape)) {
    return lowering.begin_new_rows(rows, reads);
  }
  return lowering.begin_rows(rows, reads, EntryLoop::SharedMatrix);
}

}  // namespace

void lower_linear(const OpLowering& lowering, const LinearOp& linear) {
  const ProgramAnalysis& analysis = lowering.analysis;
  if (analysis.inlined_in_sum[lowering.op] || analysis.inlined_in_map[lowering.op]) return;
  if (!lower_stacked_linear(lowering, linear)) make_product(lowering, lowering.op);
}

void make_product(const OpLowering& lowering, ValueId made, const std::optional<Index>& index) {
  const Op& op = lowering.program.op(lowering.op);
  const auto& linear = std::get<LinearOp>(op.attributes);
  const std::uint32_t rows = lowering.grouping.values[made].rows;
  std::array<RowRead, 2> reads =
      linear_reads(lowering.program, lowering.analysis.sources, lowering.op, index);
  bool transpose_left = linear.transpose_left;
  bool transpose_right = linear.transpose_right;
  if (turns_round(lowering, rows, reads, transpose_left)) {
    std::swap(reads[0], reads[1]);
    transpose_left = !transpose_right;
    transpose_right = false;
    reads[1].shape = Shape::column(static_cast<std::uint32_t>(reads[1].shape.size()));
  }
  const KernelBuilder kernel = begin_product(lowering, rows, reads);
  const NodeIndex left = kernel.read(reads[0]);
  const NodeIndex right = kernel.reshape(kernel.read(reads[1]), reads[1].shape);
  const NodeIndex product = kernel.times(left, right, transpose_left, transpose_right);
  kernel.make(made, kernel.reshape(product, op.shape));
  kernel.group().closed = (reads[0].by_tile || shares_one_matrix(reads[0])) &&
                          is_split_over_blocks(lowering.options.target, reads[0].shape);
}

}  // namespace vecc
