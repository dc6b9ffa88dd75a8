// What makes an expression well formed.
#include <algorithm>
#include <cmath>

#include "src/function/parameter_text.h"
#include "vecc/function.h"

namespace vecc {
namespace {

struct Problem {
  ErrorCode code = ErrorCode::ParameterRange;
  std::string message;  // empty: none
};

Problem combine_problem(const ExprNode& node) {
  const std::string name(info(node.combination).text);
  if (node.combination == Combination::FunctionGraph ||
      info(node.combination).origin == FunctionOrigin::Program) {
    return {ErrorCode::ParameterRange, name + " inside an expression"};
  }
  if (node.arity < 2) {
    return {ErrorCode::FanIn,
            name + " has " + std::to_string(node.arity) + " operands, expected at least 2"};
  }
  if (node.axis != -1 && !(node.axis == 0 && node.combination == Combination::Concat)) {
    return {ErrorCode::ParameterRange, name + " has axis " + std::to_string(node.axis)};
  }
  return {};
}

Problem node_problem(const ExprNode& node) {
  switch (node.kind) {
    case ExprNode::Kind::Input:
      if (node.input < kMaxExprInputs) return {};
      return {ErrorCode::ParameterRange, "operand $" + std::to_string(node.input) +
                                             ", expected below " + std::to_string(kMaxExprInputs)};
    case ExprNode::Kind::Constant:
      if (std::isfinite(node.constant)) return {};
      return {ErrorCode::ParameterRange, "a constant is not finite"};
    case ExprNode::Kind::Transform: {
      std::string problem = spec_problem(node.transformation);
      if (problem.empty()) problem = words_problem(node.transformation.id, node.words);
      return {ErrorCode::ParameterRange, std::move(problem)};
    }
    case ExprNode::Kind::Combine: return combine_problem(node);
    case ExprNode::Kind::Draw:
      if (node.arity == kDrawWords) return {};
      return {ErrorCode::FanIn, "draw has " + std::to_string(node.arity) + " operands, expected " +
                                    std::to_string(kDrawWords)};
  }
  fail_check("known node", __FILE__, __LINE__, std::to_string(static_cast<int>(node.kind)));
}

}  // namespace

std::uint32_t operand_count(const ExprNode& node) {
  switch (node.kind) {
    case ExprNode::Kind::Input:
    case ExprNode::Kind::Constant: return 0;
    case ExprNode::Kind::Transform: return 1;
    case ExprNode::Kind::Combine:
    case ExprNode::Kind::Draw: return node.arity;
  }
  fail_check("known node", __FILE__, __LINE__, std::to_string(static_cast<int>(node.kind)));
}

std::uint32_t Expr::input_count() const {
  std::uint32_t count = 0;
  for (const ExprNode& node : nodes) {
    if (node.kind == ExprNode::Kind::Input) count = std::max(count, node.input + 1);
  }
  return count;
}

Result<void> check_expr(const Expr& expr, std::string_view place) {
  const auto error = [&](ErrorCode code, std::string message) {
    return Errors(code, std::string(place), "expression: " + std::move(message));
  };
  if (expr.nodes.empty() || expr.nodes.size() > kMaxExprNodes) {
    return error(ErrorCode::ParameterRange, std::to_string(expr.nodes.size()) +
                                                " nodes, expected 1 to " +
                                                std::to_string(kMaxExprNodes));
  }
  std::vector<std::size_t> depths;  // of the subtrees on the stack
  for (const ExprNode& node : expr.nodes) {
    Problem problem = node_problem(node);
    if (!problem.message.empty()) return error(problem.code, std::move(problem.message));
    const std::size_t arity = operand_count(node);
    if (depths.size() < arity) {
      return error(ErrorCode::FanIn, "a function of " + std::to_string(arity) +
                                         " operands follows " + std::to_string(depths.size()));
    }
    const auto first = depths.end() - static_cast<std::ptrdiff_t>(arity);
    const std::size_t depth = arity == 0 ? 1 : *std::max_element(first, depths.end()) + 1;
    if (depth > kMaxExprDepth) {
      return error(ErrorCode::ParameterRange,
                   "nested deeper than " + std::to_string(kMaxExprDepth));
    }
    depths.erase(first, depths.end());
    depths.push_back(depth);
  }
  if (depths.size() != 1) {
    return error(ErrorCode::FanIn, std::to_string(depths.size()) + " trees, expected exactly one");
  }
  return {};
}

}  // namespace vecc
