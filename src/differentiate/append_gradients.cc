#include "src/differentiate/gradient_path.h"
#include "src/differentiate/gradient_sum.h"
#include "src/differentiate/op_gradients.h"
#include "src/support/timed_stage.h"
#include "vecc/differentiate.h"

namespace vecc {

Result<std::vector<std::optional<ValueId>>> append_gradients(
    Program& program, std::span<const Seed> seeds, std::span<const ParameterIndex> wanted) {
  const TimedStage stage("differentiate");
  VECC_TRY(const std::vector<bool> path, autodiff::find_gradient_path(program, seeds, wanted));
  autodiff::GradientSum sums(program, path);
  autodiff::OpGradients rules(program, sums);
  for (const Seed& seed : seeds) sums.add(seed.value, seed.gradient);
  std::vector<std::vector<ValueId>> found(program.parameters().size());  // by `weight` op
  for (auto id = static_cast<ValueId>(path.size()); id-- > 0;) {
    if (!path[id]) continue;
    const autodiff::GradientSum::Read* const read = sums.sole_read(id);
    if (read != nullptr && rules.pass_read(id, *read)) continue;
    const Note note = program.op(id).note;
    VECC_TRY(const std::optional<ValueId> gradient, sums.sum(id, note));
    if (!gradient) continue;
    const auto* weight = std::get_if<WeightOp>(&program.op(id).attributes);
    if (weight != nullptr) {
      found[weight->parameter].push_back(*gradient);
    } else {
      rules.pass_on(id, *gradient);
    }
  }
  std::vector<std::optional<ValueId>> result;
  for (const ParameterIndex parameter : wanted) {
    std::vector<ValueId>& terms = found[parameter];
    if (terms.empty()) {
      result.emplace_back();
      continue;
    }
    VECC_TRY(const ValueId all, sums.sum_whole(terms, program.parameters()[parameter].name));
    terms = {all};  // a parameter may be wanted twice
    result.emplace_back(all);
  }
  return result;
}

}  // namespace vecc
