#include "src/plan/store_parts.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

bool is_concat(const KernelNode& node) {
  return node.kind == KernelNode::Kind::Combine && node.combination == Combination::Concat;
}

class PartWriter {
 public:
  explicit PartWriter(const Kernel& from) : from_(from), parts_(from.nodes.size()) {
    to_ = from;
    to_.nodes.clear();
    to_.stores.clear();
    for (KernelPhase& phase : to_.phases) phase.steps.clear();
  }

  // Whether all concats are gone: take() has the kernel.
  bool write() {
    for (std::size_t p = 0; p < from_.phases.size(); ++p) {
      steps_ = &to_.phases[p].steps;
      for (const KernelStep& step : from_.phases[p].steps) {
        if (step.store) {
          add_stores(from_.stores[step.number]);
        } else if (!add_node(step.number)) {
          return false;
        }
      }
    }
    return true;
  }
  Kernel take() { return std::move(to_); }

 private:
  using Parts = std::vector<std::uint32_t>;  // nodes of the new kernel

  [[nodiscard]] std::uint64_t size_of(std::uint32_t part) const {
    return to_.nodes[part].shape.size();
  }

  void add_stores(const KernelStore& store) {
    std::uint32_t first = store.first;
    for (const std::uint32_t part : parts_[store.value]) {
      steps_->push_back({true, static_cast<std::uint32_t>(to_.stores.size())});
      to_.stores.push_back({store.access, part, first});
      first += static_cast<std::uint32_t>(size_of(part));
    }
  }

  std::uint32_t add(KernelNode node) {
    const auto number = static_cast<std::uint32_t>(to_.nodes.size());
    to_.nodes.push_back(std::move(node));
    steps_->push_back({false, number});
    return number;
  }

  // False if it needs a concat whole.
  bool add_node(std::uint32_t number) {
    const KernelNode& node = from_.nodes[number];
    if (is_concat(node)) {
      for (const std::uint32_t operand : node.operands) {
        parts_[number].insert(parts_[number].end(), parts_[operand].begin(), parts_[operand].end());
      }
      return parts_[number].size() > 1;  // else it changes the shape
    }
    const Parts* split = nullptr;  // of an operand that is several
    for (const std::uint32_t operand : node.operands) {
      if (parts_[operand].size() > 1) split = &parts_[operand];
    }
    if (split == nullptr) {
      parts_[number] = {add_part(node, 0, node.shape)};
      return true;
    }
    if (!splits_alike(node, *split)) return false;
    for (std::size_t k = 0; k < split->size(); ++k) {
      parts_[number].push_back(add_part(node, k, to_.nodes[(*split)[k]].shape));
    }
    return true;
  }

  // Whether part k of the node is the function of parts k of what is split, and of numbers.
  [[nodiscard]] bool splits_alike(const KernelNode& node, const Parts& split) const {
    if ((node.kind != KernelNode::Kind::Transform && node.kind != KernelNode::Kind::Combine) ||
        node.transformation.id == Transformation::Reshape || !is_entrywise(from_, node)) {
      return false;
    }
    return std::ranges::all_of(node.operands, [&](std::uint32_t operand) {
      const Parts& parts = parts_[operand];
      if (from_.nodes[operand].shape.size() == 1) return true;
      return std::ranges::equal(
          parts, split, {}, [&](std::uint32_t part) { return size_of(part); },
          [&](std::uint32_t part) { return size_of(part); });
    });
  }

  std::uint32_t add_part(const KernelNode& node, std::size_t k, Shape shape) {
    KernelNode part = node;
    part.shape = shape;
    for (std::size_t i = 0; i < part.operands.size(); ++i) {
      const Parts& parts = parts_[node.operands[i]];
      part.operands[i] = parts[parts.size() == 1 ? 0 : k];
    }
    return add(std::move(part));
  }

  const Kernel& from_;
  Kernel to_;
  std::vector<Parts> parts_;  // by node of `from_`
  std::vector<KernelStep>* steps_ = nullptr;
};

}  // namespace

void store_parts(Kernel& kernel) {
  if (std::ranges::none_of(kernel.nodes, is_concat)) return;
  PartWriter writer(kernel);
  if (writer.write()) kernel = writer.take();
}

}  // namespace vecc
