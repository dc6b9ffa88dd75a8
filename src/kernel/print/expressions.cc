#include "src/kernel/print/expressions.h"

#include <fmt/format.h>

#include <cmath>

#include "src/kernel/schedule/entrywise.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

bool only_moves(const KernelNode& node) {
  const Transformation id = node.transformation.id;
  return id == Transformation::Identity || id == Transformation::Reshape ||
         id == Transformation::Transp || id == Transformation::Broadcast;
}

std::string sum_text(const NodeText& nodes, const KernelNode& node) {
  std::string text;
  for (const std::uint32_t operand : node.operands) {
    text += (text.empty() ? "" : " + ") + nodes.entry(operand);
  }
  return text;
}

std::string draw_text(const NodeText& nodes, const KernelNode& node) {
  std::string words;
  for (const std::uint32_t operand : node.operands) {
    words += (words.empty() ? "" : ", ") + nodes.entry(operand);
  }
  return fmt::format("f_draw<T>({})", words);
}

// Entry i of a part of a loaded row.
std::string slice_text(const NodeText& nodes, const KernelNode& node) {
  const std::uint32_t from = node.operands[0];
  const std::uint32_t wide = nodes.node(from).shape.cols();
  const std::uint32_t cols = node.shape.cols();
  const std::uint64_t first = std::uint64_t{node.words[0]} * wide + node.words[2];
  if (node.shape.size() == 1) return fmt::format("v{}[{}]", from, first);
  const std::string at = cols == wide ? "i" : fmt::format("i / {0} * {1} + i % {0}", cols, wide);
  return fmt::format("v{}[{} + {}]", from, at, first);
}

// Entry i of a row that has a loaded one as a part and zeros around it.
std::string window_text(const NodeText& nodes, const KernelNode& node) {
  const std::uint32_t from = node.operands.back();
  const Shape narrow = nodes.node(from).shape;
  const std::uint32_t wide = node.shape.cols();
  if (narrow.cols() == wide) {
    return fmt::format("unsigned(i - {0}) < {1}u ? v{2}[i - {0}] : T(0)",
                       std::uint64_t{node.words[0]} * wide, narrow.size(), from);
  }
  const std::string row = fmt::format("i / {} - {}", wide, node.words[0]);
  const std::string col = fmt::format("i % {} - {}", wide, node.words[2]);
  return fmt::format(
      "unsigned({0}) < {2}u && unsigned({1}) < {3}u ? v{4}[({0}) * {3} + {1}] : T(0)", row, col,
      narrow.rows(), narrow.cols(), from);
}

// Entry i of a loaded matrix' transpose.
std::string transpose_text(const KernelNode& node) {
  return fmt::format("v{0}[i % {1} * {2} + i / {1}]", node.operands.back(), node.shape.cols(),
                     node.shape.rows());
}

std::string derivative_text(const NodeText& nodes, const KernelNode& node) {
  if (node.transformation.id == Transformation::Slice) return window_text(nodes, node);
  if (moved_load(nodes.kernel(), node) != nullptr) return transpose_text(node);
  const std::string g = nodes.entry(node.operands.back());
  if (only_moves(node)) return g;
  std::size_t next = 0;
  const std::string x = node.reads_x ? nodes.entry(node.operands[next++]) : "T(0)";
  const std::string y = node.reads_y ? nodes.entry(node.operands[next]) : "T(0)";
  const std::string slope = node.transformation.id == Transformation::LeakyRelu
                                ? fmt::format(", T({})", constant_text(node.transformation.slope))
                                : "";
  return fmt::format("pull({}, d_{}<T>({}, {}{}))", g, info(node.transformation.id).text, x, y,
                     slope);
}

}  // namespace

std::string constant_text(double value) {
  if (std::isnan(value)) return "nan<double>()";
  if (std::isinf(value)) return value > 0 ? "infinity<double>()" : "-infinity<double>()";
  return fmt::format("{:#}", value);
}

// The vjp's own operands are the first `count`.
std::string product_text(const NodeText& nodes, const KernelNode& node, std::uint32_t without) {
  std::string text;
  const std::size_t count =
      node.kind == Kind::CombineVjp ? node.operands.size() - 2 : node.operands.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (k != without) text += (text.empty() ? "" : " * ") + nodes.entry(node.operands[k]);
  }
  return text.empty() ? "T(1)" : text;
}

std::string entry_text(const NodeText& nodes, std::uint32_t number) {
  const KernelNode& node = nodes.node(number);
  switch (node.kind) {
    case Kind::Constant: return fmt::format("T({})", constant_text(node.constant));
    case Kind::Transform: {
      if (node.transformation.id == Transformation::Slice) return slice_text(nodes, node);
      if (moved_load(nodes.kernel(), node) != nullptr) return transpose_text(node);
      const std::string x = nodes.entry(node.operands[0]);
      if (only_moves(node)) return x;
      if (node.transformation.id == Transformation::LeakyRelu) {
        return fmt::format("f_leakyrelu({}, T({}))", x, constant_text(node.transformation.slope));
      }
      return fmt::format("f_{}({})", info(node.transformation.id).text, x);
    }
    case Kind::TransformVjp: return derivative_text(nodes, node);
    case Kind::Combine:
      if (node.combination == Combination::ElProduct) return product_text(nodes, node, kNoOperand);
      if (node.combination == Combination::Sum) return sum_text(nodes, node);
      return fmt::format("({}) * T({})", sum_text(nodes, node),
                         1.0 / static_cast<double>(node.operands.size()));
    case Kind::CombineVjp: {
      const std::string g = nodes.entry(node.operands.back());
      if (node.combination == Combination::Sum) return g;
      if (node.combination == Combination::ElProduct) {
        return fmt::format("{} * ({})", g, product_text(nodes, node, node.wrt));
      }
      return fmt::format("{} * T({})", g, 1.0 / static_cast<double>(node.operands.size() - 2));
    }
    case Kind::Draw: return draw_text(nodes, node);
    case Kind::Times: return nodes.entry(node.operands[0]) + " * " + nodes.entry(node.operands[1]);
    case Kind::Guard:
      return fmt::format("zero_if({} == T(0), {})", nodes.entry(node.operands[0]),
                         nodes.entry(node.operands[1]));
    case Kind::Selected:
      return fmt::format("zero_if(e != s{}{}, {})", node.operands[0],
                         nodes.size(node.operands[0]) == 1 ? "" : nodes.place(),
                         nodes.entry(node.operands[1]));
    case Kind::Scan:
      return "a" + std::to_string(number) + (nodes.size(number) == 1 ? "" : nodes.place());
    case Kind::Load:
    case Kind::RowSum:
    case Kind::Reduce:
    case Kind::ReduceArg:
    case Kind::Threshold: break;
  }
  fail_check("an entrywise node", __FILE__, __LINE__, std::to_string(number));
}

}  // namespace vecc
