#include "src/plan/analysis/update_targets.h"

#include <algorithm>

#include "vecc/plan.h"

namespace vecc {
namespace {

const WeightOp* weight_of(const Program& program, ValueId value) {
  if (value >= program.ops().size()) return nullptr;
  return std::get_if<WeightOp>(&program.op(value).attributes);
}

}  // namespace

UpdateTargets::UpdateTargets(const Program& program)
    : program_(program),
      parameters_(program.parameters().size(), false),
      first_weight_(program.parameters().size(), kNone) {
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (const WeightOp* weight = weight_of(program, id)) {
      ValueId& first = first_weight_[weight->parameter];
      first = std::min(first, id);
    }
    if (program.op(id).kind() != OpKind::Update) continue;
    const ValueId target = program.op(id).operands[0];
    if (const WeightOp* weight = weight_of(program, target)) {
      parameters_[weight->parameter] = true;
    } else {
      states_.push_back(target);
    }
  }
  std::ranges::sort(states_);
}

bool UpdateTargets::contain(ValueId value) const {
  const WeightOp* weight = weight_of(program_, value);
  return weight != nullptr ? parameters_[weight->parameter]
                           : std::ranges::binary_search(states_, value);
}

ValueId UpdateTargets::memory_of(ValueId value) const {
  const WeightOp* weight = weight_of(program_, value);
  return weight != nullptr ? first_weight_[weight->parameter] : value;
}

}  // namespace vecc
