#include "src/batch/zero_nodes.h"

#include <algorithm>
#include <optional>

#include "src/kernel/schedule/entrywise.h"

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

// What is 0 where any of its factors is.
bool is_product(const KernelNode& node) {
  if (node.kind == Kind::Times || node.kind == Kind::Guard) return true;
  if (node.kind == Kind::CombineVjp) return node.combination == Combination::ElProduct;
  return node.kind == Kind::Combine &&
         (node.combination == Combination::ElProduct || node.combination == Combination::Product);
}

// What is 0 where its direction, the last operand, is, and only there.
bool is_gradient(const KernelNode& node) {
  return !is_product(node) && (node.kind == Kind::TransformVjp || node.kind == Kind::CombineVjp);
}

// Calls visit(operand) for what a product multiplies.
template <class Visit>
void for_each_factor(const KernelNode& node, Visit&& visit) {
  const std::size_t size = node.operands.size();
  for (std::size_t k = 0; k < size; ++k) {
    const bool is_own = node.kind != Kind::CombineVjp || k + 1 == size;  // of a gradient, its own
    if (is_own || (k + 2 < size && k != node.wrt)) visit(node.operands[k]);
  }
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
  RestFinder(const Kernel& kernel, const std::vector<Rest>& loads, bool of_member)
      : kernel_(kernel), loads_(loads), of_member_(of_member) {}

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
      case Kind::Selected: {
        const KernelNode& selection = kernel_.nodes[node.operands[0]];
        return zero_if(is_zero(node.operands[1]) || never_selects(selection, found_));
      }
      case Kind::Reduce:
        if (of_member_) return Rest::None;
        // (Of a segment that was cut in pieces, the result of one.)
        if (node.skips_nan && never_selects(node, found_)) return found_[node.operands[0]];
        return zero_if(
            (node.combination == Combination::Sum || node.combination == Combination::Avg) &&
            !node.operands.empty() && is_zero(node.operands[0]));
      case Kind::Times:
      case Kind::Guard:
      case Kind::Draw:
      case Kind::ReduceArg:
      case Kind::Scan:
      case Kind::Threshold: return Rest::None;
    }
    return Rest::None;
  }

  [[nodiscard]] Rest product(const KernelNode& node) const {
    bool has_zero = false;
    for_each_factor(node, [&](std::uint32_t factor) { has_zero = has_zero || is_zero(factor); });
    if (has_zero) return Rest::Zero;
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
  bool of_member_;
  std::vector<Rest> found_;
};

// By node that is 0 where all of `zeros` are at rest: whether that hangs on a load of one row for
// all, so that where that is not 0 the node is not in any row.
std::vector<bool> nodes_of_one_row(const Kernel& kernel, const LaunchZeros& zeros) {
  std::vector<bool> found;
  for (const KernelNode& node : kernel.nodes) {
    const auto is_zero = [&](std::uint32_t operand) { return zeros.nodes[operand] == Rest::Zero; };
    const auto is = [&](std::uint32_t operand) { return is_zero(operand) && found[operand]; };
    bool is_of_one = std::ranges::any_of(node.operands, is);
    if (node.kind == Kind::Load) {
      is_of_one = zeros.loads[node.access] && kernel.accesses[node.access].map == RowMap::One;
    } else if (is_gradient(node)) {
      is_of_one = is(node.operands.back());
    } else if (is_product(node)) {
      for_each_factor(node, [&](std::uint32_t factor) {
        is_of_one = is_of_one && (!is_zero(factor) || found[factor]);
      });
    }
    found.push_back(is_of_one);
  }
  return found;
}

// Which of a product's factors that are 0 tell the rows in which it is not. Any does; the fewest
// rows have: one that loads what is given; of those that are 0 row by row (not in all at once) one
// that each row, or member, loads a row of its own of, where others share rows; else those that
// are.
std::vector<std::uint32_t> telling_factors(const Kernel& kernel, const LaunchZeros& zeros,
                                           const std::vector<bool>& of_one_row,
                                           const KernelNode& of) {
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> by_rows;
  std::optional<std::uint32_t> given;
  std::optional<std::uint32_t> own;
  bool has_coarser = false;
  for_each_factor(of, [&](std::uint32_t factor) {
    if (zeros.nodes[factor] != Rest::Zero) return;
    const KernelNode& node = kernel.nodes[factor];
    const bool is_load = node.kind == Kind::Load;
    if (is_load && zeros.given[node.access]) given = factor;
    all.push_back(factor);
    if (of_one_row[factor]) return;
    by_rows.push_back(factor);
    const bool is_own = is_load && zeros.own[node.access];
    if (is_own) own = factor;
    has_coarser = has_coarser || !is_own;
  });
  if (given) return {*given};
  if (own && has_coarser) return {*own};
  return by_rows.empty() ? all : by_rows;
}

// Calls visit(operand) for those operands of a node without which it would be what it is at rest.
template <class Visit>
void for_each_cause(const KernelNode& node, const std::vector<Rest>& rests, Rest rest,
                    Visit&& visit) {
  const bool is_infinite = rest != Rest::None && rest != Rest::Zero;
  const bool is_sum = node.kind == Kind::Combine && node.combination == Combination::Sum;
  const bool by_zeros = rest == Rest::Zero && (is_product(node) || is_gradient(node));
  for (const std::uint32_t operand : node.operands) {
    if (is_infinite && is_sum && rests[operand] != rest) continue;
    if (by_zeros && rests[operand] != Rest::Zero) continue;
    visit(operand);
  }
}

// `tells`: of the factors of a product those that tell its rows, of a gradient its direction.
std::vector<std::uint32_t> find_sources(const Kernel& kernel, const LaunchZeros& zeros,
                                        std::uint32_t node, bool tells) {
  const std::vector<bool> of_one_row =
      tells ? nodes_of_one_row(kernel, zeros) : std::vector<bool>();
  std::vector<std::uint32_t> sources;
  std::vector<bool> seen(kernel.nodes.size(), false);
  std::vector<std::uint32_t> open{node};
  const auto follow = [&](std::uint32_t operand) { open.push_back(operand); };
  while (!open.empty()) {
    const std::uint32_t number = open.back();
    open.pop_back();
    if (seen[number]) continue;
    seen[number] = true;
    const KernelNode& of = kernel.nodes[number];
    if (of.kind == Kind::Load && zeros.loads[of.access]) sources.push_back(of.access);
    const bool is_told = tells && zeros.nodes[number] == Rest::Zero;
    if (is_told && is_product(of)) {
      std::ranges::for_each(telling_factors(kernel, zeros, of_one_row, of), follow);
    } else if (is_told && is_gradient(of)) {
      follow(of.operands.back());
    } else {
      for_each_cause(of, zeros.nodes, zeros.nodes[number], follow);
    }
  }
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

}  // namespace

bool never_selects(const KernelNode& node, const std::vector<Rest>& rests) {
  if (!is_selection(node)) return false;
  return rests[node.operands[0]] ==
         (selects_largest(node.combination) ? Rest::Lowest : Rest::Highest);
}

std::vector<Rest> rest_nodes(const Kernel& kernel, const std::vector<Rest>& loads) {
  return RestFinder(kernel, loads, /*of_member=*/false).find();
}

std::vector<Rest> rest_nodes_of_member(const Kernel& kernel, const std::vector<Rest>& loads) {
  return RestFinder(kernel, loads, /*of_member=*/true).find();
}

std::vector<std::uint32_t> zero_sources(const Kernel& kernel, const LaunchZeros& zeros,
                                        std::uint32_t node) {
  return find_sources(kernel, zeros, node, true);
}

std::vector<std::uint32_t> all_zero_sources(const Kernel& kernel, const LaunchZeros& zeros,
                                            std::uint32_t node) {
  return find_sources(kernel, zeros, node, false);
}

}  // namespace vecc
