#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

bool is_entrywise_function(const KernelNode& node, Shape operand) {
  const Transformation id = node.transformation.id;
  if (id == Transformation::Reshape) return true;
  if (id == Transformation::Transp) return !operand.is_matrix();
  if (id == Transformation::Broadcast) return node.kind == Kind::Transform;
  return info(id).domain == FunctionDomain::Elementwise;
}

bool is_entrywise_combination(Combination combination) {
  return combination == Combination::Sum || combination == Combination::Avg ||
         combination == Combination::ElProduct;
}

}  // namespace

bool is_entrywise(const Kernel& kernel, const KernelNode& node) {
  const auto operand_size = [&](std::size_t k) {
    return kernel.nodes[node.operands[k]].shape.size();
  };
  switch (node.kind) {
    case Kind::Load:
    case Kind::Constant:
    case Kind::Draw: return true;
    case Kind::Transform:
      return is_entrywise_function(node, kernel.nodes[node.operands[0]].shape) ||
             moved_load(kernel, node) != nullptr;
    case Kind::TransformVjp:
      return (is_entrywise_function(node, node.shape) &&
              operand_size(node.operands.size() - 1) == node.shape.size()) ||
             moved_load(kernel, node) != nullptr;
    case Kind::Combine: return is_entrywise_combination(node.combination);
    case Kind::CombineVjp:
      return is_entrywise_combination(node.combination) &&
             operand_size(node.operands.size() - 1) == node.shape.size();
    case Kind::Times:
      return kernel.nodes[node.operands[0]].shape.is_scalar() ||
             kernel.nodes[node.operands[1]].shape.is_scalar();
    case Kind::Guard: return operand_size(0) == 1 || node.by_entry;
    case Kind::Reduce:
      return is_entrywise_combination(node.combination) || node.combination == Combination::Count ||
             selects_entries(node.combination);
    case Kind::ReduceArg: return selects_entries(node.combination);
    case Kind::Selected:
    case Kind::Scan: return true;
    case Kind::RowSum:
    case Kind::Threshold: return false;
  }
  return false;
}

const KernelNode* moved_load(const Kernel& kernel, const KernelNode& node) {
  if ((node.kind != Kind::Transform && node.kind != Kind::TransformVjp) || node.words_by_row) {
    return nullptr;
  }
  const KernelNode& from = kernel.nodes[node.operands.back()];
  const bool has_entries = node.kind == Kind::Transform || node.shape.size() > 1;
  if (from.kind != Kind::Load || from.shape.size() == 1 || !has_entries) return nullptr;
  const bool moves = node.transformation.id == Transformation::Transp
                         ? from.shape.is_matrix() && !stores_alias_loads(kernel)
                         : node.transformation.id == Transformation::Slice &&
                               node.shape.size() != from.shape.size();
  return moves ? &from : nullptr;
}

std::string stored_entries_name(const Kernel& kernel, const KernelStore& store) {
  const std::string name = "o" + std::to_string(store.access);
  return stores_part(kernel, store) ? name + "_" + std::to_string(store.first) : name;
}

bool is_flat(const Kernel& kernel, std::uint64_t entries) {
  const auto is_at_place = [&](const KernelAccess& access) {
    return access.map == RowMap::Direct && access.shape.size() == entries;
  };
  return kernel.segments == KernelSegments::None && !kernel.reloads && !kernel.ordered &&
         std::ranges::all_of(kernel.accesses, is_at_place) &&
         std::ranges::all_of(kernel.nodes, [&](const KernelNode& node) {
           const bool fits = node.shape.size() == entries || node.kind == Kind::Constant;
           return fits && is_entrywise(kernel, node) && moved_load(kernel, node) == nullptr;
         });
}

Kernel as_scalars(Kernel kernel) {
  for (KernelAccess& access : kernel.accesses) access.shape = Shape::scalar();
  for (KernelNode& node : kernel.nodes) {
    node.shape = Shape::scalar();
    if (node.transformation.id == Transformation::Reshape) {
      node.transformation.target = Shape::scalar();
    }
  }
  return kernel;
}

std::uint64_t widest_row(const Kernel& kernel) {
  std::uint64_t widest = 1;
  for (const KernelNode& node : kernel.nodes) {
    if (node.kind != Kind::Load) widest = std::max(widest, node.shape.size());
  }
  for (const KernelStore& store : kernel.stores) {
    widest = std::max(widest, kernel.nodes[store.value].shape.size());
  }
  return widest;
}

ProductShape product_shape(const Kernel& kernel, const KernelNode& node) {
  const Shape left = kernel.nodes[node.operands[0]].shape;
  const Shape right = kernel.nodes[node.operands[1]].shape;
  return {node.transpose_left ? left.cols() : left.rows(),
          node.transpose_left ? left.rows() : left.cols(),
          node.transpose_right ? right.rows() : right.cols()};
}

}  // namespace vecc
