// A score's formula as a tree whose equal parts may be shared: what the parser makes, and what is
// rearranged before kernels are made of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vecc/function.h"
#include "vecc/shape.h"

namespace vecc::kg {

struct Term;
using TermPtr = std::shared_ptr<const Term>;

/// An expression's node with its operands and its shape.
struct Term {
  ExprNode node;
  std::vector<TermPtr> operands;
  Shape shape;

  [[nodiscard]] bool is(Combination combination) const {
    return node.kind == ExprNode::Kind::Combine && node.combination == combination;
  }
  [[nodiscard]] bool is(Transformation transformation) const {
    return node.kind == ExprNode::Kind::Transform && node.transformation.id == transformation;
  }
  [[nodiscard]] bool is_constant() const { return node.kind == ExprNode::Kind::Constant; }
};

/// `$number`
[[nodiscard]] TermPtr input_term(std::uint32_t number, Shape shape);
[[nodiscard]] TermPtr constant_term(double value);
/// A function with its operands. Errors: those of the shape rules of vecc/function.h; `place` is
/// theirs.
[[nodiscard]] Result<TermPtr> make_term(ExprNode node, std::vector<TermPtr> operands,
                                        std::string_view place);

// For operands that are known to fit.
[[nodiscard]] TermPtr transform_term(Transformation transformation, TermPtr x);
[[nodiscard]] TermPtr combine_term(Combination combination, std::vector<TermPtr> operands);
/// The same entries in another shape.
[[nodiscard]] TermPtr reshape_term(TermPtr x, Shape shape);
/// Entries begin .. begin + shape.size() - 1 of a column, in a shape.
[[nodiscard]] TermPtr part_term(TermPtr column, std::uint32_t begin, Shape shape);
/// All entries of all, row-major, as one column.
[[nodiscard]] TermPtr column_term(std::span<const TermPtr> parts);
/// x^T y of two columns of one length, or of two scalars.
[[nodiscard]] TermPtr dot_term(const TermPtr& x, const TermPtr& y);
/// A number, and 1, in every entry of a column.
[[nodiscard]] TermPtr filled_term(double value, std::uint32_t size);
[[nodiscard]] TermPtr ones_term(std::uint32_t size);
/// The sum of the entries.
[[nodiscard]] TermPtr entry_sum_term(const TermPtr& x);

/// In postfix order; parts that are shared stand as often as they are read.
[[nodiscard]] Expr expr_of(const TermPtr& term);
/// Nodes of that, at most `limit` + 1.
[[nodiscard]] std::size_t node_count(const TermPtr& term, std::size_t limit);
[[nodiscard]] bool equal(const TermPtr& a, const TermPtr& b);
/// With other terms for inputs.
[[nodiscard]] TermPtr replace_inputs(const TermPtr& term,
                                     const std::function<TermPtr(std::uint32_t)>& term_of_input);

}  // namespace vecc::kg
