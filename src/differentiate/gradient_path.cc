#include "src/differentiate/gradient_path.h"

#include <algorithm>
#include <string>

namespace vecc::autodiff {
namespace {

std::string place_of_value(const Program& program, ValueId value) {
  std::string place = "%" + std::to_string(value);
  if (value < program.ops().size()) place += " " + std::string(text_of(program.op(value).kind()));
  return place;
}

std::string size_of_value(const Op& op) {
  return "[" + std::to_string(op.rows) + ", " + op.shape.text() + "]";
}

Result<void> check_seeds(const Program& program, std::span<const Seed> seeds) {
  for (const Seed& seed : seeds) {
    for (const ValueId value : {seed.value, seed.gradient}) {
      if (value < program.ops().size()) continue;
      return Errors(ErrorCode::Usage, "seed",
                    place_of_value(program, value) + " is not in the program");
    }
    const Op& value = program.op(seed.value);
    const Op& gradient = program.op(seed.gradient);
    if (gradient.rows == value.rows && gradient.shape == value.shape) continue;
    return Errors(
        ErrorCode::Usage, "seed of " + place_of_value(program, seed.value),
        "the gradient is " + size_of_value(gradient) + ", expected " + size_of_value(value));
  }
  return {};
}

// Whether the op has a derivative at all; what it passes on may be nothing.
bool has_derivative(OpKind kind) {
  switch (kind) {
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Linear:
    case OpKind::Segment:
    case OpKind::Transform:
    case OpKind::Map:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum:
    case OpKind::State:
    case OpKind::Output: return true;
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::Update: return false;
  }
  fail_check("known op", __FILE__, __LINE__, std::string(text_of(kind)));
}

// Constant between jumps: the gradient is zero.
bool passes_nothing_on(const Op& op) {
  if (op.kind() == OpKind::Draw) return true;
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  if (segment != nullptr) return segment->combination == Combination::Count;
  const auto* transform = std::get_if<TransformOp>(&op.attributes);
  return transform != nullptr &&
         info(transform->transformation.id).derivative == FunctionDerivative::Zero;
}

// Operands that get gradients: no row numbers.
std::span<const ValueId> differentiated_operands(const Op& op) {
  const bool is_first_only =
      op.kind() == OpKind::Take || op.kind() == OpKind::SumEqual || op.kind() == OpKind::ScatterSum;
  return std::span(op.operands.data(), op.operands.size())
      .first(is_first_only ? 1 : op.operands.size());
}

}  // namespace

Result<std::vector<bool>> find_gradient_path(const Program& program, std::span<const Seed> seeds,
                                             std::span<const ParameterIndex> wanted) {
  VECC_TRY_VOID(check_seeds(program, seeds));
  std::vector<bool> is_wanted(program.parameters().size());
  for (const ParameterIndex parameter : wanted) {
    if (parameter >= is_wanted.size()) {
      return Errors(ErrorCode::Usage, "parameter " + std::to_string(parameter),
                    "is not in the program");
    }
    is_wanted[parameter] = true;
  }
  const auto count = static_cast<ValueId>(program.ops().size());
  std::vector<bool> depends(count);  // on a wanted parameter
  for (ValueId id = 0; id < count; ++id) {
    const Op& op = program.op(id);
    const auto* weight = std::get_if<WeightOp>(&op.attributes);
    depends[id] =
        weight != nullptr
            ? is_wanted[weight->parameter]
            : !passes_nothing_on(op) && std::ranges::any_of(differentiated_operands(op),
                                                            [&](ValueId v) { return depends[v]; });
  }
  std::vector<bool> path(count);
  for (const Seed& seed : seeds) path[seed.value] = depends[seed.value];
  for (ValueId id = count; id-- > 0;) {
    if (!path[id]) continue;
    if (!has_derivative(program.op(id).kind())) {
      return Errors(ErrorCode::Usage, place_of_value(program, id),
                    "stands between a parameter and a seed, but has no derivative");
    }
    for (const ValueId operand : differentiated_operands(program.op(id))) {
      if (depends[operand]) path[operand] = true;
    }
  }
  return path;
}

}  // namespace vecc::autodiff
