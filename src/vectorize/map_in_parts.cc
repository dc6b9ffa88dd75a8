#include "src/vectorize/map_in_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace vecc {
namespace {

// Nodes of an expression that is one map.
constexpr std::size_t kOneMap = 64;
// Nodes of a part, and operands of one of its combinations: small, so that there are few kernels of
// a large tree.
constexpr std::size_t kMostNodes = 12;
constexpr std::size_t kMostOperands = 8;

// Whether combining the first few operands, then their result with the rest, is the same.
bool goes_left_to_right(Combination combination) {
  return info(combination).split == CombinationSplit::Parts;
}

// A subtree in postfix order; its leaves number `operands`.
struct Part {
  std::vector<ExprNode> nodes;
  std::vector<ValueId> operands;
};

class Splitter {
 public:
  Splitter(Program& program, std::span<const ValueId> operands, const Note& note)
      : program_(program), operands_(operands), note_(note) {}

  ValueId split(const Expr& expr) {
    std::vector<Part> stack;
    for (const ExprNode& node : expr.nodes) {
      switch (node.kind) {
        case ExprNode::Kind::Input: stack.push_back(leaf(operands_[node.input])); break;
        case ExprNode::Kind::Constant: stack.push_back({{node}, {}}); break;
        case ExprNode::Kind::Transform: stack.back().nodes.push_back(node); break;
        case ExprNode::Kind::Combine: {
          const std::size_t first = stack.size() - node.arity;
          Part combined = combine(node, std::span(stack).subspan(first));
          stack.resize(first);
          stack.push_back(std::move(combined));
          break;
        }
      }
      if (stack.back().nodes.size() > kMostNodes) cut(stack.back());
    }
    cut(stack.back());
    return stack.back().operands.front();
  }

 private:
  static Part leaf(ValueId value) {
    ExprNode node;
    node.input = 0;
    return {{node}, {value}};
  }

  // The part becomes a value, which its reader reads. Constants have no rows of their own.
  void cut(Part& part) {
    if (part.operands.empty() || part.nodes.size() == 1) return;
    part = leaf(emit(std::move(part)));
  }

  ValueId emit(Part part) {
    std::vector<ValueId> distinct(part.operands);
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (ExprNode& node : part.nodes) {
      if (node.kind != ExprNode::Kind::Input) continue;
      const auto at = std::ranges::lower_bound(distinct, part.operands[node.input]);
      node.input = static_cast<std::uint32_t>(at - distinct.begin());
    }
    return program_.map({std::move(part.nodes)}, distinct, note_);
  }

  Part combine(ExprNode node, std::span<Part> parts) {
    if (parts.size() <= kMostOperands || !goes_left_to_right(node.combination)) {
      return join(node, parts);
    }
    node.arity = kMostOperands;
    Part all = join(node, parts.first(kMostOperands));
    for (std::size_t next = kMostOperands; next < parts.size();) {
      const std::size_t more = std::min(kMostOperands - 1, parts.size() - next);
      parts[next - 1] = std::move(all);
      node.arity = static_cast<std::uint32_t>(more + 1);
      all = join(node, parts.subspan(next - 1, more + 1));
      next += more;
    }
    return all;
  }

  // One part of all, the largest of which are cut until it is small enough.
  Part join(const ExprNode& node, std::span<Part> parts) {
    std::size_t nodes = 1;
    std::vector<Part*> by_size;
    for (Part& part : parts) {
      nodes += part.nodes.size();
      by_size.push_back(&part);
    }
    std::ranges::stable_sort(by_size, std::ranges::greater(),
                             [](const Part* part) { return part->nodes.size(); });
    for (Part* part : by_size) {
      if (nodes <= kMostNodes) break;
      nodes -= part->nodes.size();
      cut(*part);
      nodes += part->nodes.size();
    }
    Part joined;
    joined.nodes.reserve(nodes);
    for (Part& part : parts) {
      const auto first = static_cast<std::uint32_t>(joined.operands.size());
      for (ExprNode& own : part.nodes) {
        if (own.kind == ExprNode::Kind::Input) own.input += first;
        joined.nodes.push_back(std::move(own));
      }
      joined.operands.insert(joined.operands.end(), part.operands.begin(), part.operands.end());
    }
    joined.nodes.push_back(node);
    return joined;
  }

  Program& program_;
  std::span<const ValueId> operands_;
  const Note& note_;
};

}  // namespace

ValueId map_in_parts(Program& program, const Expr& expr, std::span<const ValueId> operands,
                     const Note& note) {
  if (expr.nodes.size() <= kOneMap) return program.map(expr, operands, note);
  return Splitter(program, operands, note).split(expr);
}

}  // namespace vecc
