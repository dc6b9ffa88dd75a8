// Each of a few matrices times each column: one product with the matrices below one another.
//
//   %2 = linear %0 lift(repeat 3), %1 lift(interleave 2) : f32[6, 4x1]     %0 : [2, 4x5], %1 : [3,
//   5x1]
//
// As the rows of %0 lie in memory they are an 8x5 matrix, and the two results of a column lie as
// 8x1: three rows of one kernel, which may be the one that makes the columns.
#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lowering.h"

namespace vecc {
namespace {

// Longer results are better made by more threads, or in blocks of one matrix.
constexpr std::uint64_t kMostEntries = 64;

}  // namespace

// Whether it is such a product, which is lowered then.
bool Lowering::lower_stacked(ValueId id, const LinearOp& linear) {
  const Op& op = program_.op(id);
  const ValueSource matrices = sources[op.operands[0]];
  const ValueSource columns = sources[op.operands[1]];
  const std::uint32_t count = program_.op(op.operands[0]).rows;
  const std::uint32_t rows = program_.op(op.operands[1]).rows;
  const Shape matrix = program_.op(op.operands[0]).shape;
  const Shape column = program_.op(op.operands[1]).shape;
  const bool pairs_all =
      linear.lift_left.kind == Lift::Kind::Repeat && linear.lift_left.times == rows &&
      linear.lift_right.kind == Lift::Kind::Interleave && linear.lift_right.times == count;
  const bool stacks = !linear.transpose_left && !linear.transpose_right && matrix.cols() > 1 &&
                      matrix.cols() == column.rows() && column.cols() == 1;
  if (!pairs_all || !stacks || !options_.fuse || count < 2 || rows < 2 || matrices.index ||
      values[matrices.value].rows != count || matrix.rows() * count > kMostEntries) {
    return false;
  }
  const Shape stack(matrix.rows() * count, matrix.cols());
  Read reads[2] = {{matrices.value, std::nullopt, stack}, {columns.value, columns.index, column}};
  reads[0].one = true;
  const Spot spot = find_spot(rows, reads, shares_one(reads[0]) ? OpPace::Product : OpPace::ByRow);
  KernelGroup& group = groups[spot.group];
  const NodeIndex left = read_node(spot, reads[0]);
  const NodeIndex right = read_node(spot, reads[1]);
  GroupAccess access;
  access.value = id;
  group.store(add_times(group, spot.space, left, right, false, false), access);
  group.frozen = true;
  note_op(group);
  values[id].ready = group.level;
  values[id].stored = true;
  return true;
}

}  // namespace vecc
