// drop-dead: ops that neither an output nor an update needs go, constants too.
//
//   %0 = fact {1, 2} : f32[2, 1] ; %1 = transform %0 tanh ; %2 = transform %0 relu ; %3 = output %2
//   =>
//   %0 = fact {1, 2} : f32[2, 1] ; %1 = transform %0 relu ; %2 = output %1
//
// A parameter that is read no more stays: it is part of the model, and saved with it.
#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/rewriter.h"

namespace vecc::opt {

bool drop_dead(Program& program, PassContext& context) {
  const std::size_t before = program.ops().size();
  program = drop_dead_ops(std::move(program));
  context.count("ops dropped", before - program.ops().size());
  return program.ops().size() < before;
}

}  // namespace vecc::opt
