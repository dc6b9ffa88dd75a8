// drop-unit-linear: a product by units is the other side.
//
// A unit is the scalar 1 of a fact, or a product of units. If every row that a linear reads on one
// side, through any gathers and concats, is a unit, the linear becomes a gather of the other side,
// whichever of the two that is: a weight times a unit is the weight. A lift of the other side
// becomes the gather's index, its transpose a `transform transp`. A linear of which only some rows
// are units stays.
//
//   %1 = gather %w [0, 1, 0] : f32[3, 3x1] ; %2 = gather %unit [0, 0, 0] : f32[3, 1]
//   %3 = linear %1, %2 : f32[3, 3x1] ; %4 = gather %3 [2, 1] : f32[2, 3x1]
//   =>
//   %1 = gather %w [0, 1] : f32[2, 3x1]
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/row_map.h"
#include "optimizer/rewrite/unit_rows.h"

namespace vecc::opt {
namespace {

Index lifted_index(const Lift& lift, std::uint32_t rows) {
  switch (lift.kind) {
    case Lift::Kind::None: return Index::slice(0, rows);
    case Lift::Kind::Repeat: return Index::repeat(rows, lift.times);
    case Lift::Kind::Interleave:
      return rows == 1 ? Index::repeat(1, lift.times) : Index::interleave(rows, lift.times);
  }
  fail_check("known lift", __FILE__, __LINE__, std::to_string(static_cast<int>(lift.kind)));
}

// The rows that a linear reads of one side, each as it stands in the product. A transpose turns the
// rows that a gather reads, where those are fewer than the gather's own.
ValueId read_side(Rewriter& rewriter, ValueId operand, bool transposed, const Lift& lift,
                  const Note& note) {
  const Op& side = rewriter.from().op(operand);
  GatheredRows read{rewriter.at(operand), lifted_index(lift, side.rows)};
  if (transposed && !side.shape.is_scalar()) {
    GatheredRows through = read_through(rewriter.to(), read.source, read.rows);
    if (rewriter.to().op(through.source).rows <= side.rows) read = std::move(through);
    const TransformationSpec transpose{.id = Transformation::Transp, .target = {}};
    read.source = rewriter.to().transform(read.source, transpose, {}, note);
  }
  return rewriter.gather(read.source, read.rows, note);
}

}  // namespace

bool drop_unit_linear(Program& program, PassContext& context) {
  const UnitRows units(program);
  if (units.none()) return false;
  Rewriter rewriter(program);
  std::uint64_t dropped = 0;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    const auto* linear = std::get_if<LinearOp>(&op.attributes);
    if (linear && units.all(op.operands[0])) {
      rewriter.replace(id, read_side(rewriter, op.operands[1], linear->transpose_right,
                                     linear->lift_right, op.note));
    } else if (linear && units.all(op.operands[1])) {
      rewriter.replace(id, read_side(rewriter, op.operands[0], linear->transpose_left,
                                     linear->lift_left, op.note));
    } else {
      rewriter.copy(id);
      continue;
    }
    ++dropped;
    context.count("products dropped", op.rows);
  }
  if (dropped == 0) return false;
  program = compose_gathers(rewriter.finish());
  return true;
}

}  // namespace vecc::opt
