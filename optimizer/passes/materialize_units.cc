// materialize-units: no unit is left; backends know plain facts only.
//
// A broadcast of units (the scalar 1, read through any gathers and concats) becomes a gather of one
// row of ones, shared by all broadcasts to that shape; what remains of a `fact unit` becomes a
// plain fact of ones. Then, where members of a segment are products and plain rows in turn, they
// become one linear (mixed_linear.h).
//
//   %0 = fact unit : f32[1, 1] ; %1 = gather %0 [0, 0] : f32[2, 1]
//   %2 = transform %1 broadcast(3x1) : f32[2, 3x1] ; %3 = transform %1 tanh : f32[2, 1]
//   =>
//   %0 = fact {1} : f32[1, 1] ; %1 = gather %0 [0, 0] : f32[2, 1]
//   %2 = fact {1, 1, 1} : f32[1, 3x1] ; %3 = gather %2 [0, 0] : f32[2, 3x1]
//   %4 = transform %1 tanh : f32[2, 1]
#include <algorithm>
#include <map>

#include "optimizer/passes/mixed_linear.h"
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/unit_rows.h"

namespace vecc::opt {
namespace {

bool is_broadcast(const Op& op) {
  const auto* transform = std::get_if<TransformOp>(&op.attributes);
  return transform && transform->transformation.id == Transformation::Broadcast;
}

bool is_marked_unit(const Op& op) {
  const auto* fact = std::get_if<FactOp>(&op.attributes);
  return fact && fact->unit;
}

bool write_out_units(Program& program, PassContext& context) {
  const auto concerns = [](const Op& op) { return is_marked_unit(op) || is_broadcast(op); };
  if (std::ranges::none_of(program.ops(), concerns)) return false;
  const UnitRows units(program);
  Rewriter rewriter(program);
  std::map<Shape, ValueId> ones;  // by shape: its row of ones
  std::uint64_t written = 0;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    if (is_broadcast(op) && units.all(op.operands[0])) {
      const auto [entry, is_new] = ones.try_emplace(op.shape, kNoValue);
      if (is_new) {
        entry->second =
            rewriter.to().fact(std::vector<double>(op.shape.size(), 1.0), 1, op.shape, op.note);
      }
      rewriter.replace(id, rewriter.gather(entry->second, Index::repeat(1, op.rows), op.note));
      context.count("broadcasts of units dropped", 1);
    } else if (is_marked_unit(op)) {
      rewriter.replace(
          id, rewriter.to().fact(std::vector<double>(op.rows, 1.0), op.rows, op.shape, op.note));
    } else if (const auto* gather = std::get_if<GatherOp>(&op.attributes)) {
      const ValueId read = rewriter.at(op.operands[0]);
      rewriter.replace(id, rewriter.gather(read, gather->index, op.note));
      continue;
    } else {
      rewriter.copy(id);
      continue;
    }
    ++written;
  }
  if (written > 0) program = rewriter.finish();
  return written > 0;
}

}  // namespace

bool materialize_units(Program& program, PassContext& context) {
  const bool written = write_out_units(program, context);
  const std::uint64_t joined = join_mixed_linears(program);
  context.count("mixed segments joined", joined);
  return written || joined > 0;
}

}  // namespace vecc::opt
