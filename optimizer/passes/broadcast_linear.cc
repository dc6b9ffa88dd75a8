// broadcast-linear: a side of a linear whose rows repeat (dimension 1) or stand several times in a
// row (dimension 2) is read by its period and lifted, instead of copied row by row.
//
//   %2 = gather %0 [0, 0, 1, 1] ; %3 = gather %1 [2, 4, 2, 4]
//   %4 = linear %2, %3 : f32[4, 3x1]
//   =>
//   %2 = gather %0 [0:2] ; %3 = gather %1 [2:5:2]
//   %4 = linear %2 lift(interleave 2), %3 lift(repeat 2) : f32[4, 3x1]
//
// The same products in the same order, so the result is equal bit by bit. Which side, which period:
// linear_lifts.h. A linear that has a lift already is left alone.
#include <algorithm>

#include "optimizer/passes/linear_lifts.h"
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

class Broadcaster {
 public:
  Broadcaster(const Program& program, PassContext& context)
      : program_(program), context_(context), readers_(program), rewriter_(program) {}

  bool run() {
    bool changed = false;
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (program_.op(id).kind() == OpKind::Linear && lift(id)) {
        changed = true;
      } else {
        rewriter_.copy(id);
      }
    }
    return changed;
  }

  Program finish() { return rewriter_.finish(); }

 private:
  bool lift(ValueId id) {
    const Op& op = program_.op(id);
    LinearOp linear = std::get<LinearOp>(op.attributes);
    if (op.rows < 2 || has_lifts(linear)) return false;
    const GatheredRows left = read_through(program_, op.operands[0]);
    const GatheredRows right = read_through(program_, op.operands[1]);
    const LinearLifts lifts =
        choose_lifts(side(left), side(right), following_segments(program_, readers_, id));
    linear.lift_left = lifts.left;
    linear.lift_right = lifts.right;
    if (!has_lifts(linear)) return false;
    const ValueId new_left = operand(op.operands[0], left, lifts.left);
    const ValueId new_right = operand(op.operands[1], right, lifts.right);
    rewriter_.replace(id, rewriter_.add(linear, {new_left, new_right}, id));
    return true;
  }

  [[nodiscard]] LinearSide side(const GatheredRows& read) const {
    return {read.rows, program_.op(read.source).shape.size()};
  }

  ValueId operand(ValueId old, const GatheredRows& read, const Lift& lift) {
    if (lift.kind == Lift::Kind::None) return rewriter_.at(old);
    const Index rows = rows_under_lift(read.rows, lift);
    context_.count(lift.kind == Lift::Kind::Repeat ? "sides repeated" : "sides interleaved", 1);
    context_.count("rows not copied", read.rows.size() - rows.size());
    return rewriter_.gather(rewriter_.at(read.source), rows, program_.op(old).note);
  }

  const Program& program_;
  PassContext& context_;
  Readers readers_;
  Rewriter rewriter_;
};

}  // namespace

bool broadcast_linear(Program& program, PassContext& context) {
  const auto may_repeat = [](const Op& op) { return op.kind() == OpKind::Linear && op.rows > 1; };
  if (std::ranges::none_of(program.ops(), may_repeat)) return false;
  Broadcaster broadcaster(program, context);
  if (!broadcaster.run()) return false;
  program = broadcaster.finish();
  return true;
}

}  // namespace vecc::opt
