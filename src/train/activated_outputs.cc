// Whether outputs have gone through an activation that a loss of logits has in itself.
#include "vecc/loss.h"

namespace vecc {
namespace {

bool makes_probabilities(Transformation transformation) {
  return transformation == Transformation::Sigmoid || transformation == Transformation::Softmax ||
         transformation == Transformation::Sparsemax;
}

bool makes_probabilities(const Op& op) {
  if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
    return makes_probabilities(transform->transformation.id);
  }
  if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
    return segment->combination == Combination::Softmax ||
           segment->combination == Combination::Sparsemax;
  }
  const auto* map = std::get_if<MapOp>(&op.attributes);
  if (map == nullptr) return false;
  const ExprNode& root = map->expr->nodes.back();
  return root.kind == ExprNode::Kind::Combine ? root.combination == Combination::Softmax ||
                                                    root.combination == Combination::Sparsemax
                                              : root.kind == ExprNode::Kind::Transform &&
                                                    makes_probabilities(root.transformation.id);
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

}  // namespace

bool outputs_are_activated(const Program& program) {
  std::vector<bool> reaches_output(program.ops().size());
  for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
    const Op& op = program.op(id);
    if (op.kind() != OpKind::Output && !reaches_output[id]) continue;
    if (makes_probabilities(op)) return true;
    if (!moves_rows(op)) continue;
    for (const ValueId operand : op.operands) reaches_output[operand] = true;
  }
  return false;
}

}  // namespace vecc
