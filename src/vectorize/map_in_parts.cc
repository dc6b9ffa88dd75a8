#include "src/vectorize/map_in_parts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace vecc::vectorizer {
namespace {

// Nodes of an expression that is one map.
constexpr std::size_t kOneMap = 64;
// Nodes of a part, and operands of one of its combinations: small, so that there are few kernels of
// a large tree.
constexpr std::size_t kMostNodes = 12;
constexpr std::size_t kMostOperands = 8;

ExprNode combine_node(Combination combination) {
  ExprNode node;
  node.kind = ExprNode::Kind::Combine;
  node.combination = combination;
  return node;
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
        case ExprNode::Kind::Combine:
        case ExprNode::Kind::Draw: {
          const std::size_t first = stack.size() - node.arity;
          Part combined = combine(node, std::span(stack).subspan(first));
          stack.resize(first);
          stack.push_back(std::move(combined));
          break;
        }
      }
      if (stack.back().nodes.size() > kMostNodes) cut(stack.back());
    }
    return value_of(std::move(stack.back()));
  }

 private:
  using Values = std::vector<ValueId>;

  static Part leaf(ValueId value) {
    ExprNode node;
    node.input = 0;
    return {{node}, {value}};
  }
  static Part constant(double number) {
    ExprNode node;
    node.kind = ExprNode::Kind::Constant;
    node.constant = number;
    return {{node}, {}};
  }

  [[nodiscard]] std::uint32_t rows() const { return program_.op(operands_[0]).rows; }

  // The part becomes a value, which its reader reads. Constants have no rows of their own.
  void cut(Part& part) {
    if (part.nodes.size() > 1 && !part.operands.empty()) part = leaf(emit(std::move(part)));
  }

  // What the part computes, of all rows.
  ValueId value_of(Part part) {
    if (part.nodes.size() > 1) return emit(std::move(part));
    if (!part.operands.empty()) return part.operands[0];
    // A fact, no map: constants are in a kernel's text.
    return program_.fact(std::vector<double>(rows(), part.nodes[0].constant), rows(),
                         Shape::scalar(), note_);
  }

  ValueId emit(Part part) {
    Values distinct(part.operands);
    if (distinct.empty()) distinct.push_back(operands_[0]);  // not read: it has the rows
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (ExprNode& node : part.nodes) {
      if (node.kind != ExprNode::Kind::Input) continue;
      const auto at = std::ranges::lower_bound(distinct, part.operands[node.input]);
      node.input = static_cast<std::uint32_t>(at - distinct.begin());
    }
    return program_.map({std::move(part.nodes)}, distinct, note_);
  }

  Part combine(const ExprNode& node, std::span<Part> parts) {
    if (parts.size() <= kMostOperands) return join(node, parts);
    // As a value of all members it must be a value that there can be.
    const bool fits = parts.size() * std::uint64_t{rows()} <= kMaxRows;
    switch (node.combination) {
      case Combination::Count: return constant(static_cast<double>(parts.size()));
      case Combination::Sum:
      case Combination::Avg:
      case Combination::ElProduct:
        if (fits) return reduce_by_shape(node.combination, parts);
        break;
      case Combination::Max:
      case Combination::Min:
        if (fits) return leaf(reduce(node.combination, values_of(parts)));
        break;
      case Combination::Softmax:
      case Combination::Sparsemax:
      case Combination::Concat:
        if (fits && have_one_shape(parts)) return leaf(pack(node, values_of(parts)));
        if (node.combination == Combination::Concat) return as_tree(node, parts);
        break;
      case Combination::CrossSum: return as_tree(node, parts);
      case Combination::Product: return left_to_right(node, parts);
      case Combination::CosSim:
      case Combination::ElMax:
      case Combination::ElMin:
      case Combination::FunctionGraph: break;
    }
    return join(node, parts);
  }

  Values values_of(std::span<Part> parts) {
    Values values;
    for (Part& part : parts) values.push_back(value_of(std::move(part)));
    return values;
  }

  bool have_one_shape(std::span<Part> parts) {
    for (Part& part : parts) cut(part);
    const auto shape_of = [&](const Part& part) {
      return part.operands.empty() ? Shape::scalar() : program_.op(part.operands[0]).shape;
    };
    return std::ranges::all_of(
        parts, [&](const Part& part) { return shape_of(part) == shape_of(parts[0]); });
  }

  // Segments whose members are values of one shape: one op, however many these are.
  ValueId reduce(Combination combination, const Values& values) {
    if (values.size() == 1) return values[0];
    std::vector<std::uint32_t> order;
    order.reserve(rows() * values.size());
    for (std::uint32_t row = 0; row < rows(); ++row) {
      for (std::uint32_t k = 0; k < values.size(); ++k) order.push_back(k * rows() + row);
    }
    const ValueId members =
        program_.gather(program_.concat(values, note_), Index::compact(std::move(order)), note_);
    const auto count = static_cast<std::uint32_t>(values.size());
    return program_.segment(members, Segments::fixed(count), combination, note_);
  }

  // The same of several shapes, where the order does not matter: each shape by itself, then
  // all of them, as if they stood in the order in which the shapes first come.
  Part reduce_by_shape(Combination combination, std::span<Part> parts) {
    const Combination first = combination == Combination::Avg ? Combination::Sum : combination;
    std::vector<std::pair<Shape, Values>> by_shape;
    std::optional<double> number;  // of the constants
    for (Part& part : parts) {
      if (part.nodes[0].kind == ExprNode::Kind::Constant && part.nodes.size() == 1) {
        const double next = part.nodes[0].constant;
        number = !number ? next : first == Combination::Sum ? *number + next : *number * next;
        continue;
      }
      const ValueId value = value_of(std::move(part));
      const Shape shape = program_.op(value).shape;
      auto same = std::ranges::find(by_shape, shape, &std::pair<Shape, Values>::first);
      if (same == by_shape.end()) same = by_shape.insert(same, {shape, {}});
      same->second.push_back(value);
    }
    std::vector<Part> reduced;
    for (const auto& [shape, values] : by_shape) reduced.push_back(leaf(reduce(first, values)));
    if (number) reduced.push_back(constant(*number));
    Part all = reduced.size() == 1 ? std::move(reduced[0]) : join(combine_node(first), reduced);
    if (combination != Combination::Avg) return all;
    Part share[] = {std::move(all), constant(1.0 / static_cast<double>(parts.size()))};
    return join(combine_node(Combination::ElProduct), share);
  }

  // Members of each row side by side.
  ValueId pack(const ExprNode& node, const Values& values) {
    const ValueId packed = reduce(Combination::Concat, values);
    TransformationSpec then;
    if (node.combination == Combination::Softmax) then.id = Transformation::Softmax;
    if (node.combination == Combination::Sparsemax) then.id = Transformation::Sparsemax;
    if (node.combination == Combination::Concat && node.axis == 0) {  // rows below one another
      then.id = Transformation::Reshape;
      const Shape member = program_.op(values[0]).shape;
      then.target = Shape(static_cast<std::uint32_t>(values.size()) * member.rows(), member.cols());
      if (program_.op(packed).shape == then.target) return packed;
    }
    return program_.transform(packed, then, {}, note_);
  }

  // The first few, then their result with the next few, and so on.
  Part left_to_right(const ExprNode& node, std::span<Part> parts) {
    Part all = join(node, parts.first(kMostOperands));
    for (std::size_t next = kMostOperands; next < parts.size();) {
      const std::size_t more = std::min(kMostOperands - 1, parts.size() - next);
      parts[next - 1] = std::move(all);
      all = join(node, parts.subspan(next - 1, more + 1));
      next += more;
    }
    return all;
  }

  // A few at a time, then a few of these at a time, and so on: where results grow with what they
  // are made of.
  Part as_tree(const ExprNode& node, std::span<Part> parts) {
    while (parts.size() > 1) {
      std::size_t groups = 0;
      for (std::size_t first = 0; first < parts.size(); first += kMostOperands) {
        const std::span<Part> group =
            parts.subspan(first, std::min(kMostOperands, parts.size() - first));
        Part joined = group.size() == 1 ? std::move(group[0]) : join(node, group);
        parts[groups++] = std::move(joined);
      }
      parts = parts.first(groups);
    }
    return std::move(parts[0]);
  }

  // One part of all, the largest of which are cut until it is small enough.
  Part join(ExprNode node, std::span<Part> parts) {
    node.arity = static_cast<std::uint32_t>(parts.size());
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
        joined.nodes.push_back(own);
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

}  // namespace vecc::vectorizer
