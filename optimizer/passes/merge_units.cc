// merge-units: every read of a unit reads one shared unit row.
//
// A *unit* is the value of a fact without a value: the scalar 1. Facts of units are `fact unit` and
// facts of which every row is scalar 1; all of them become one `fact unit` with one row. A vector
// or matrix of ones is no unit. A fact in which only some rows are 1 stays (dedup-facts looks at
// its rows).
//
//   %0 = fact unit : f32[2, 1]
//   %1 = fact {1} : f32[1, 1]
//   %2 = concat %0, %1 : f32[3, 1] ; %3 = transform %2 tanh : f32[3, 1]
//   =>
//   %0 = fact unit : f32[1, 1]
//   %1 = gather %0 [0, 0, 0] : f32[3, 1] ; %2 = transform %1 tanh : f32[3, 1]
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/row_map.h"
#include "optimizer/rewrite/unit_rows.h"

namespace vecc::opt {
namespace {

bool is_shared_unit(const Op& op) {
  const auto* fact = std::get_if<FactOp>(&op.attributes);
  return fact && fact->unit && op.rows == 1;
}

}  // namespace

bool merge_units(Program& program, PassContext& context) {
  std::vector<ValueId> units;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (is_unit_fact(program.op(id))) units.push_back(id);
  }
  if (units.empty() || (units.size() == 1 && is_shared_unit(program.op(units[0])))) return false;

  Rewriter rewriter(program);
  ValueId shared = kNoValue;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    if (!is_unit_fact(op)) {
      rewriter.copy(id);
      continue;
    }
    if (shared == kNoValue) shared = rewriter.to().unit_fact(1, op.note);
    rewriter.replace(id, rewriter.gather(shared, Index::repeat(1, op.rows), op.note));
    context.count("unit facts merged", 1);
    context.count("unit rows merged", op.rows);
  }
  program = compose_gathers(rewriter.finish());
  return true;
}

}  // namespace vecc::opt
