#include "choose_loss.h"

#include <algorithm>

#include "vecc/metrics.h"

namespace vecc::tools {
namespace {

bool has_vectors(const Program& program) {
  return std::ranges::any_of(program.ops(), [](const Op& op) {
    return op.kind() == OpKind::Output && op.shape.size() > 1;
  });
}

// Whether -ln o of one class is all that the loss says of a vector of sigmoids.
bool ignores_other_classes(const Program& program, Loss loss) {
  const OutputFunction function = output_function(program);
  return loss == Loss::CrossEntropy && has_vectors(program) &&
         (function == OutputFunction::Sigmoid || function == OutputFunction::Mixed);
}

}  // namespace

Loss choose_loss(const NeuronGraph& graph, const Program& program) {
  const TargetKind kind = target_kind(graph);
  const bool has_roles = std::ranges::any_of(
      graph.samples, [](const Sample& s) { return s.role != Role::Unspecified; });
  if (kind == TargetKind::None && has_roles) return Loss::MarginRanking;
  if (kind == TargetKind::None || kind == TargetKind::Numbers) return Loss::SquaredDiff;
  const OutputFunction function = output_function(program);
  if (!has_vectors(program)) {
    return function == OutputFunction::Raw ? Loss::SquaredDiff : Loss::CrossEntropy;
  }
  switch (function) {
    case OutputFunction::Sigmoid: return Loss::BinaryCrossEntropy;
    case OutputFunction::Sparsemax: return Loss::CrossEntropy;
    case OutputFunction::Mixed: return Loss::SquaredDiff;
    case OutputFunction::Softmax: return Loss::SoftEntropy;
    case OutputFunction::Raw: break;
  }
  return kind == TargetKind::Classes ? Loss::SoftEntropy : Loss::SquaredDiff;
}

std::string find_misfit(const Program& program, Loss loss) {
  if (ignores_other_classes(program, loss)) {
    return "--loss=crossentropy of sigmoids is least where all of them are 1, whatever the class; "
           "--loss=binary_crossentropy counts the other classes too";
  }
  const OutputFunction function = output_function(program);
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Output) continue;
    const auto wanted = logit_function(loss, op.shape);
    if (!wanted || function == OutputFunction::Raw || function == *wanted) continue;
    return std::string("--loss=").append(text_of(loss)) + " takes logits, or their " +
           std::string(text_of(*wanted)) + ", but outputs of shape " + op.shape.text() + " are " +
           std::string(text_of(function)) + " already";
  }
  return {};
}

std::string describe_loss(const Program& program, Loss loss) {
  return std::string(text_of(loss)) + " of " + std::string(text_of(output_function(program))) +
         " outputs";
}

}  // namespace vecc::tools
