// Each of a few matrices times each column: one product with the matrices below one another.
//
//   %2 = linear %0 lift(repeat 3), %1 lift(interleave 2) : f32[6, 4x1]
//
// of %0 : [2, 4x5] and %1 : [3, 5x1]. As the rows of %0 lie in memory they are an 8x5 matrix, and
// the two results of a column lie as 8x1: three rows of one kernel, which may be the one that makes
// the columns.
#include "src/plan/lower/lower_ops.h"

namespace vecc {
namespace {

// Longer results are better made by more threads, or in blocks of one matrix.
constexpr std::uint64_t kMostEntries = 64;

}  // namespace

bool lower_stacked_linear(const OpLowering& lowering, const LinearOp& linear) {
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
      program.op(matrices.value).rows != count || matrix.rows() * count > kMostEntries) {
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

}  // namespace vecc
