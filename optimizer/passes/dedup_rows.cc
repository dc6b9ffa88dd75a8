// dedup-rows: work that is not needed, or that is done twice, is left out, from the outputs down.
//
//   %4 = gather %3 [0, 1, 0, 1] ; %5 = segment %4 [0, 2, 4] sum ; %6 = gather %5 [1, 0, 1]
//   =>
//   %4 = gather %3 [0, 1] ; %5 = segment %4 [0, 2] sum ; %6 = gather %5 [0, 0, 0]
//
// 1. A row that no reader reads goes, whatever computes it, a fact's too; never a row of a weight.
// 2. Rows of one value over equal operands (row_classes.h: the same rows, or equal ones; a
//    segment's members in any order where its function allows it) are computed once. Only in values
//    made without a product: segments, transforms, maps, gathers stored in concats
//    (dedup-linear-pairs does products); and only where 1 - new / old > 0.05, since readers may
//    need a gather to find the rows again.
// 3. A gather between a linear and a segment goes where the linear's own rows, cut into segments,
//    are the wanted segments in another order (dedup_rows_segments.h); readers of the segment find
//    them there.
//
// Readers are re-indexed; outputs stay. A linear with lifts keeps its rows: they were laid out for
// the lifts.
#include "optimizer/passes/dedup_rows_segments.h"
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/needed_rows.h"
#include "optimizer/rewrite/row_classes.h"

namespace vecc::opt {
namespace {

constexpr double kMargin = 0.05;

}  // namespace

bool dedup_rows(Program& program, PassContext& context) {
  if (!SourceRows::fits(program)) return false;
  const RowPlan plan = plan_needed_rows(program, &context.row_classes(program), kMargin);
  context.count("unread rows", plan.unread);
  context.count("equal rows", plan.merged);
  if (plan.changes) program = rebuild_rows(program, plan.maps);
  const std::uint64_t gathers = segment_linears_in_order(program);
  context.count("gathers left out", gathers);
  if (context.rows_are_told_apart() && gathers == 0) context.leave_rows_told_apart();
  return plan.changes || gathers > 0;
}

}  // namespace vecc::opt
