// What outputs went through last, and the values before it.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vecc/loss.h"

namespace vecc {
namespace {

std::optional<OutputFunction> function_of(Transformation transformation) {
  if (transformation == Transformation::Sigmoid) return OutputFunction::Sigmoid;
  if (transformation == Transformation::Softmax) return OutputFunction::Softmax;
  if (transformation == Transformation::Sparsemax) return OutputFunction::Sparsemax;
  return std::nullopt;
}

std::optional<OutputFunction> function_of(Combination combination) {
  if (combination == Combination::Softmax) return OutputFunction::Softmax;
  if (combination == Combination::Sparsemax) return OutputFunction::Sparsemax;
  return std::nullopt;
}

// What the op makes probabilities by.
std::optional<OutputFunction> function_of(const Op& op) {
  if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
    return function_of(transform->transformation.id);
  }
  if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
    return function_of(segment->combination);
  }
  const auto* map = std::get_if<MapOp>(&op.attributes);
  if (map == nullptr) return std::nullopt;
  const ExprNode& root = map->expr->nodes.back();
  if (root.kind == ExprNode::Kind::Combine) return function_of(root.combination);
  if (root.kind == ExprNode::Kind::Transform) return function_of(root.transformation.id);
  return std::nullopt;
}

// Whether the op's rows (or parts of them) are rows of its operands as they are.
bool moves_rows(const Op& op) {
  if (op.kind() == OpKind::Gather || op.kind() == OpKind::Concat || op.kind() == OpKind::Output) {
    return true;
  }
  const auto* transform = std::get_if<TransformOp>(&op.attributes);
  if (transform == nullptr) return false;
  const Transformation id = transform->transformation.id;
  return id == Transformation::Identity || id == Transformation::Transp ||
         id == Transformation::Slice || id == Transformation::Reshape ||
         id == Transformation::AtIndex;
}

constexpr std::array<std::pair<std::string_view, OutputFunction>, 5> kFunctionNames{{
    {"raw", OutputFunction::Raw},
    {"sigmoid", OutputFunction::Sigmoid},
    {"softmax", OutputFunction::Softmax},
    {"sparsemax", OutputFunction::Sparsemax},
    {"mixed", OutputFunction::Mixed},
}};

// The values of ops without the function in the end; each op is taken once.
class BeforeFunction {
 public:
  BeforeFunction(Program& program, OutputFunction function)
      : program_(program), function_(function) {}

  std::optional<ValueId> of(ValueId value) {
    const auto found = known_.find(value);
    if (found != known_.end()) return found->second;
    const std::optional<ValueId> before = find(value);
    known_.emplace(value, before);
    return before;
  }

 private:
  std::optional<ValueId> find(ValueId value) {
    const OpKind kind = program_.op(value).kind();
    if (kind == OpKind::Map) return before_map(value);
    if (kind == OpKind::Concat) return before_concat(value);
    const Op& op = program_.op(value);
    if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
      const bool is_it = function_of(transform->transformation.id) == function_;
      return is_it ? std::optional(op.operands[0]) : std::nullopt;
    }
    if (kind != OpKind::Gather) return std::nullopt;
    const Index index = std::get<GatherOp>(op.attributes).index;
    const auto operand = of(op.operands[0]);
    return operand ? std::optional(program_.gather(*operand, index)) : std::nullopt;
  }

  // Without the function at its root.
  std::optional<ValueId> before_map(ValueId value) {
    Expr expr = *std::get<MapOp>(program_.op(value).attributes).expr;
    const Operands operands = program_.op(value).operands;
    const ExprNode root = expr.nodes.back();
    const bool is_it =
        root.kind == ExprNode::Kind::Transform && function_of(root.transformation.id) == function_;
    if (!is_it) return std::nullopt;
    expr.nodes.pop_back();
    const ExprNode& first = expr.nodes.front();
    if (expr.nodes.size() == 1 && first.kind == ExprNode::Kind::Input) return operands[first.input];
    return program_.map(std::move(expr), operands, "loss: before the output function");
  }

  std::optional<ValueId> before_concat(ValueId value) {
    const Operands operands = program_.op(value).operands;
    std::vector<ValueId> parts;
    for (const ValueId operand : operands) {
      const auto part = of(operand);
      if (!part) return std::nullopt;
      parts.push_back(*part);
    }
    return program_.concat(parts);
  }

  Program& program_;
  OutputFunction function_;
  std::unordered_map<ValueId, std::optional<ValueId>> known_;
};

}  // namespace

std::string_view text_of(OutputFunction function) {
  return std::ranges::find(kFunctionNames, function, [](const auto& name) { return name.second; })
      ->first;
}

OutputFunction output_function(const Program& program) {
  std::vector<bool> reaches_output(program.ops().size());
  std::optional<OutputFunction> found;
  const auto note = [&found](OutputFunction function) {
    found = !found || found == function ? function : OutputFunction::Mixed;
  };
  for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
    const Op& op = program.op(id);
    if (op.kind() != OpKind::Output && !reaches_output[id]) continue;
    if (const auto function = function_of(op)) {
      note(*function);
    } else if (moves_rows(op)) {
      for (const ValueId operand : op.operands) reaches_output[operand] = true;
    } else {
      note(OutputFunction::Raw);
    }
  }
  return found.value_or(OutputFunction::Raw);
}

std::optional<OutputFunction> logit_function(Loss loss, Shape output) {
  if (loss == Loss::BinaryCrossEntropy) return OutputFunction::Sigmoid;
  if (loss != Loss::SoftEntropy) return std::nullopt;
  return output.size() == 1 ? OutputFunction::Sigmoid : OutputFunction::Softmax;
}

bool outputs_are_logits(const Program& program, Loss loss) {
  const bool takes_logits = loss == Loss::SoftEntropy || loss == Loss::BinaryCrossEntropy;
  return takes_logits && output_function(program) == OutputFunction::Raw;
}

std::optional<ValueId> before_function(Program& program, ValueId value, OutputFunction function) {
  return BeforeFunction(program, function).of(value);
}

}  // namespace vecc
