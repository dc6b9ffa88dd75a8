#include "src/kg/score_formula/part_kernels.h"

#include <algorithm>
#include <utility>

#include "src/kg/score_formula/score_kernel_builder.h"
#include "src/plan/lower/expr_nodes.h"

namespace vecc::kg {

PartBuilder::PartBuilder(std::vector<PartInput> inputs, const TermPtr& part, DType dtype)
    : inputs_(std::move(inputs)), expr_(expr_of(part)), shape_(part->shape), dtype_(dtype) {}

bool PartBuilder::reads(std::uint32_t input) const {
  return std::ranges::any_of(expr_.nodes, [&](const ExprNode& node) {
    return node.kind == ExprNode::Kind::Input && node.input == input;
  });
}

ScoreKernel PartBuilder::make() const {
  ScoreKernelBuilder builder(dtype_);
  const auto inputs = load_inputs(builder, KernelSpace::Row);
  const KernelBuilder rows = builder.at(KernelSpace::Row);
  builder.store(ScoreArray::Made, ExprNodes(rows, expr_, inputs).result());
  return builder.take();
}

ScoreKernel PartBuilder::pull(const std::vector<bool>& apart) const {
  ScoreKernelBuilder builder(dtype_);
  const auto inputs = load_inputs(builder, KernelSpace::Row);
  const KernelBuilder rows = builder.at(KernelSpace::Row);
  const NodeIndex g = builder.load(ScoreArray::Gradient, shape_, KernelSpace::Row, RowMap::Direct);
  ExprNodes nodes(rows, expr_, inputs);
  bool stores = false;
  bool adds = false;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    const PartInput& input = inputs_[i];
    if (input.map == RowMap::One || (!apart.empty() && apart[i])) continue;
    auto gradient = nodes.differentiate(i, g);
    if (!gradient) continue;
    if (input.adds) {
      gradient = rows.sum(*gradient,
                          builder.load(input.made, input.shape, KernelSpace::Row, RowMap::Direct));
    }
    builder.store(input.made, *gradient);
    stores = true;
    adds = adds || input.adds;
  }
  if (!stores) return {};
  ScoreKernel made = builder.take();
  made.kernel.in_place = adds;
  return made;
}

ScoreKernel PartBuilder::pull_sum(std::uint32_t input) const {
  if (!reads(input)) return {};
  ScoreKernelBuilder builder(dtype_);
  builder.begin_members();
  const auto inputs = load_inputs(builder, KernelSpace::Member);
  const KernelBuilder members = builder.at(KernelSpace::Member);
  const NodeIndex g =
      builder.load(ScoreArray::Gradient, shape_, KernelSpace::Member, RowMap::Direct);
  ExprNodes nodes(members, expr_, inputs);
  const auto gradient = nodes.differentiate(input, g);
  if (!gradient) return {};
  builder.store(ScoreArray::Made, members.reduce(Combination::Sum, *gradient));
  return builder.take();
}

// By input of the expression; of those that it does not read, none.
std::vector<NodeIndex> PartBuilder::load_inputs(ScoreKernelBuilder& builder,
                                                KernelSpace space) const {
  std::vector<NodeIndex> nodes(inputs_.size(), kNone);
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    if (reads(i))
      nodes[i] = builder.load(inputs_[i].array, inputs_[i].shape, space, inputs_[i].map);
  }
  return nodes;
}

}  // namespace vecc::kg
