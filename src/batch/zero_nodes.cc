#include "src/batch/zero_nodes.h"

#include <algorithm>
#include <optional>

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// Functions that only move entries.
bool moves_entries(Transformation transformation) {
  switch (info(transformation).form) {
    case FunctionForm::Same:
    case FunctionForm::Shape:
    case FunctionForm::Transposed:
    case FunctionForm::Part:
    case FunctionForm::Entry:
    case FunctionForm::Broadcast: return true;
    case FunctionForm::Entries:
    case FunctionForm::Row:
    case FunctionForm::Column: return false;
  }
  return false;
}

bool is_product(const KernelNode& node) {
  if (node.kind == Kind::Times) return true;
  return node.kind == Kind::Combine &&
         (node.combination == Combination::ElProduct || node.combination == Combination::Product);
}

Rest rest_of_function(Transformation transformation, Rest x) {
  if (x == Rest::None || moves_entries(transformation)) return x;
  const bool vanishes_below = transformation == Transformation::Exp ||
                              transformation == Transformation::Relu ||
                              transformation == Transformation::Sigmoid;
  if (transformation == Transformation::Log && x == Rest::Zero) return Rest::Lowest;
  return vanishes_below && x == Rest::Lowest ? Rest::Zero : Rest::None;
}

class RestFinder {
 public:
  RestFinder(const Kernel& kernel, const std::vector<Rest>& loads)
      : kernel_(kernel), loads_(loads) {}

  std::vector<Rest> find() {
    for (const KernelNode& node : kernel_.nodes) found_.push_back(rest_of(node));
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_zero(std::uint32_t operand) const { return found_[operand] == Rest::Zero; }

  [[nodiscard]] Rest rest_of(const KernelNode& node) const {
    const auto zero_if = [](bool is_zero) { return is_zero ? Rest::Zero : Rest::None; };
    if (is_product(node)) return product(node);
    switch (node.kind) {
      case Kind::Load:
        return kernel_.accesses[node.access].store ? Rest::None : loads_[node.access];
      case Kind::Constant: return zero_if(node.constant == 0);
      case Kind::Transform:
        return rest_of_function(node.transformation.id, found_[node.operands[0]]);
      case Kind::TransformVjp:
      case Kind::CombineVjp: return zero_if(is_zero(node.operands.back()));
      case Kind::Combine: return node.combination == Combination::Sum ? sum(node) : Rest::None;
      case Kind::RowSum: return zero_if(is_zero(node.operands[0]));
      case Kind::Guard: return zero_if(is_zero(node.operands[0]) || is_zero(node.operands[1]));
      case Kind::Selected: {
        const KernelNode& selection = kernel_.nodes[node.operands[0]];
        return zero_if(is_zero(node.operands[1]) || never_selects(selection, found_));
      }
      case Kind::Reduce:
        return zero_if(
            (node.combination == Combination::Sum || node.combination == Combination::Avg) &&
            !node.operands.empty() && is_zero(node.operands[0]));
      case Kind::Times:
      case Kind::Draw:
      case Kind::ReduceArg:
      case Kind::Scan:
      case Kind::Threshold: return Rest::None;
    }
    return Rest::None;
  }

  [[nodiscard]] Rest product(const KernelNode& node) const {
    if (std::ranges::any_of(node.operands, [&](std::uint32_t o) { return is_zero(o); })) {
      return Rest::Zero;
    }
    if (node.kind != Kind::Combine || node.operands.size() != 2) return Rest::None;
    for (const std::uint32_t i : {0, 1}) {
      const KernelNode& factor = kernel_.nodes[node.operands[i]];
      const Rest other = found_[node.operands[1 - i]];
      if (factor.kind != Kind::Constant || other == Rest::None) continue;
      if (factor.constant > 0) return other;
      if (factor.constant < 0) return other == Rest::Lowest ? Rest::Highest : Rest::Lowest;
    }
    return Rest::None;
  }

  [[nodiscard]] Rest sum(const KernelNode& node) const {
    const auto has = [&](Rest rest) {
      return std::ranges::any_of(node.operands, [&](std::uint32_t o) { return found_[o] == rest; });
    };
    const bool is_low = has(Rest::Lowest);
    const bool is_high = has(Rest::Highest);
    if (is_low || is_high) {
      return is_low && is_high ? Rest::None : is_low ? Rest::Lowest : Rest::Highest;
    }
    return has(Rest::None) ? Rest::None : Rest::Zero;
  }

  const Kernel& kernel_;
  const std::vector<Rest>& loads_;
  std::vector<Rest> found_;
};

// A factor that loads what is given.
std::optional<std::uint32_t> find_given(const Kernel& kernel, const std::vector<Rest>& rests,
                                        const std::vector<bool>& given, const KernelNode& of) {
  for (const std::uint32_t operand : of.operands) {
    const KernelNode& node = kernel.nodes[operand];
    const bool loads = node.kind == Kind::Load && rests[operand] == Rest::Zero;
    if (loads && given[node.access]) return operand;
  }
  return std::nullopt;
}

}  // namespace

bool never_selects(const KernelNode& node, const std::vector<Rest>& rests) {
  const bool selects = node.kind == Kind::Reduce || node.kind == Kind::ReduceArg;
  if (!selects || node.operands.empty()) return false;
  const Rest member = rests[node.operands[0]];
  return (node.combination == Combination::Max && member == Rest::Lowest) ||
         (node.combination == Combination::Min && member == Rest::Highest);
}

std::vector<Rest> rest_nodes(const Kernel& kernel, const std::vector<Rest>& loads) {
  return RestFinder(kernel, loads).find();
}

std::vector<std::uint32_t> zero_sources(const Kernel& kernel, const std::vector<bool>& zeros,
                                        const std::vector<Rest>& rests,
                                        const std::vector<bool>& given, std::uint32_t node) {
  std::vector<std::uint32_t> sources;
  std::vector<bool> seen(kernel.nodes.size(), false);
  std::vector<std::uint32_t> open{node};
  while (!open.empty()) {
    const std::uint32_t number = open.back();
    open.pop_back();
    if (seen[number]) continue;
    seen[number] = true;
    const KernelNode& of = kernel.nodes[number];
    if (of.kind == Kind::Load && zeros[of.access]) sources.push_back(of.access);
    const bool is_zero = rests[number] == Rest::Zero;
    const bool is_infinite = rests[number] != Rest::None && !is_zero;
    const bool is_sum = of.kind == Kind::Combine && of.combination == Combination::Sum;
    const bool by_any = of.kind == Kind::Guard || is_product(of);
    const bool by_direction =
        by_any || of.kind == Kind::TransformVjp || of.kind == Kind::CombineVjp;
    const auto one = by_any ? find_given(kernel, rests, given, of) : std::nullopt;
    for (const std::uint32_t operand : of.operands) {
      if (one && operand != *one) continue;
      const bool is_followed = is_infinite && is_sum     ? rests[operand] == rests[number]
                               : is_zero && by_direction ? rests[operand] == Rest::Zero
                                                         : true;
      if (is_followed) open.push_back(operand);
    }
  }
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

}  // namespace vecc
