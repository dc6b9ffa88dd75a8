#include "src/train/clip_gradients.h"

#include "src/train/clip_formulas.h"
#include "src/train/sum_rows.h"

namespace vecc::training {
namespace {

// The sum of squares of all gradients' entries: one scalar.
ValueId sum_all_squares(Program& program, std::span<const ValueId> gradients) {
  std::vector<ValueId> sums;
  for (const ValueId gradient : gradients) {
    const Expr squares = sum_of_squares(program.op(gradient).shape);
    sums.push_back(sum_rows(program, program.map(squares, std::span(&gradient, 1), "step: norm")));
  }
  return sum_rows(program, program.concat(sums, "step: norm"));
}

void clip_norm(Program& program, double limit, ClippedGradients& clipped) {
  const ValueId squares = sum_all_squares(program, clipped.gradients);
  clipped.norm = program.map(norm_of_squares(), std::span(&squares, 1), "step: norm");
  const ValueId factor = program.map(clip_factor(limit), std::span(&squares, 1), "step: clip");
  for (ValueId& gradient : clipped.gradients) {
    const ValueId operands[] = {gradient, factor};
    gradient = program.map(scale_entries(), operands, "step: clip");
  }
}

}  // namespace

ClippedGradients clip_gradients(Program& program, std::span<const ParameterGradient> gradients,
                                const OptimizerOptions& options) {
  ClippedGradients clipped;
  for (const ParameterGradient& each : gradients) clipped.gradients.push_back(each.gradient);
  if (options.clip_norm && !gradients.empty()) clip_norm(program, *options.clip_norm, clipped);
  if (!options.clip_value) return clipped;
  for (ValueId& gradient : clipped.gradients) {
    gradient =
        program.map(clip_entries(*options.clip_value), std::span(&gradient, 1), "step: clip");
  }
  return clipped;
}

}  // namespace vecc::training
