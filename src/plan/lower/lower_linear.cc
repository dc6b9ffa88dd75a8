// Products of rows.
#include <array>
#include <utility>

#include "src/kernel/schedule/lanes.h"
#include "src/plan/lower/lower_ops.h"

namespace vecc {
namespace {

// Longer results are better made by more threads, or in blocks of one matrix.
constexpr std::uint64_t kMostStacked = 64;

// Whether a row times a matrix that rows share is computed as the transposed matrix times a column:
// the same products, added up in the same order, in blocks of rows.
bool turns_round(const OpLowering& lowering, std::uint32_t rows,
                 const std::array<RowRead, 2>& reads, bool transpose_left) {
  const Shape left = transpose_left ? reads[0].shape.transposed() : reads[0].shape;
  if (left.rows() != 1 || left.is_scalar() || !reads[1].shape.is_matrix()) return false;
  return shares_matrix_by_type(lowering.program, lowering.options, rows, reads[1]) ||
         shares_one_matrix(reads[1]);
}

// Whether all threads of a GPU's block, and several blocks, share the entries of such a product:
// where they load both sides, and none of them has to wait for what others compute.
bool spreads_over_blocks(const OpLowering& lowering, const std::array<RowRead, 2>& reads) {
  return !lowering.options.target.has_vectors() && reads[0].shape.is_matrix() &&
         reads[1].shape.is_matrix() && lowering.program.op(lowering.op).shape.size() >= kRowOfBlock;
}

KernelBuilder begin_product(const OpLowering& lowering, std::uint32_t rows,
                            std::array<RowRead, 2>& reads) {
  if (shares_matrix_by_type(lowering.program, lowering.options, rows, reads[0])) {
    const KernelBuilder kernel = lowering.begin_new_rows(rows, reads);
    kernel.group().types = lowering.grouping.arrays.add(*reads[0].index);
    reads[0].by_tile = true;
    return kernel;
  }
  if (spreads_over_blocks(lowering, reads)) return lowering.begin_new_rows(rows, reads);
  if (!shares_one_matrix(reads[0])) {
    const std::uint32_t matrix = reads[0].shape.is_matrix() ? 0 : 1;
    const Shape shape = reads[matrix].shape;
    return lowering.begin_rows(rows, reads, EntryLoop::WholeRows,
                               shape.is_matrix() ? moved_read(matrix, shape, shape) : kNone);
  }
  if (is_split_over_blocks(lowering.options.target, reads[0].shape)) {
    return lowering.begin_new_rows(rows, reads);
  }
  return lowering.begin_rows(rows, reads, EntryLoop::SharedMatrix);
}

// Each of a few matrices times each column: one product with the matrices below one another.
//
//   %2 = linear %0 lift(repeat 3), %1 lift(interleave 2) : f32[6, 4x1]
//
// of %0 : [2, 4x5] and %1 : [3, 5x1]. As the rows of %0 lie in memory they are an 8x5 matrix, and
// the two results of a column lie as 8x1: three rows of one kernel, which may be the one that makes
// the columns. False if the op is no such product.
bool lower_stacked(const OpLowering& lowering, const LinearOp& linear) {
  const Program& program = lowering.program;
  const Op& op = program.op(lowering.op);
  const RowRead matrices = lowering.read_of(op.operands[0]);
  const RowRead columns = lowering.read_of(op.operands[1]);
  const std::uint32_t count = program.op(op.operands[0]).rows;
  const std::uint32_t rows = program.op(op.operands[1]).rows;
  const Shape matrix = matrices.shape;
  const bool pairs_all =
      linear.lift_left.kind == Lift::Kind::Repeat && linear.lift_left.times == rows &&
      linear.lift_right.kind == Lift::Kind::Interleave && linear.lift_right.times == count;
  const bool stacks = !linear.transpose_left && !linear.transpose_right && matrix.cols() > 1 &&
                      matrix.cols() == columns.shape.rows() && columns.shape.cols() == 1;
  if (!pairs_all || !stacks || !lowering.options.fuse || count < 2 || rows < 2 || matrices.index ||
      program.op(matrices.value).rows != count || matrix.rows() * count > kMostStacked) {
    return false;
  }
  RowRead reads[2] = {matrices, columns};
  reads[0].shape = Shape(matrix.rows() * count, matrix.cols());
  reads[0].one = true;
  const KernelBuilder kernel = lowering.begin_rows(
      rows, reads, shares_one_matrix(reads[0]) ? EntryLoop::SharedMatrix : EntryLoop::WholeRows);
  const NodeIndex left = kernel.read(reads[0]);
  const NodeIndex right = kernel.read(reads[1]);
  kernel.store_rows(lowering.op, kernel.times(left, right), 0);
  return true;
}

}  // namespace

void lower_linear(const OpLowering& lowering, const LinearOp& linear) {
  if (lowering.analysis.inlined[lowering.op]) return;
  if (!lower_stacked(lowering, linear)) make_product(lowering, lowering.op);
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
