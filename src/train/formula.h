// Expressions of a `map` written as formulas: `weight * (sigmoid(output) - target)`.
#pragma once

#include <cstdint>

#include "vecc/function.h"

namespace vecc::training {

/// A tree of functions over a map's operands. Operators act entry by entry; a scalar broadcasts.
class Formula {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a formula.
  Formula(double constant);
  /// `$number`
  static Formula operand(std::uint32_t number);

  /// Postfix, as a map has it.
  [[nodiscard]] const Expr& expr() const { return expr_; }

  friend Formula operator+(Formula left, const Formula& right);
  friend Formula operator-(Formula left, const Formula& right);
  friend Formula operator*(Formula left, const Formula& right);
  /// Times the inverse.
  friend Formula operator/(Formula left, const Formula& right);
  friend Formula operator-(const Formula& x) { return Formula(-1) * x; }
  /// T(x), for functions without words.
  friend Formula apply(Transformation transformation, Formula x);
  /// The same entries in another shape.
  friend Formula reshape(Formula x, Shape target);
  /// A scalar in every entry.
  friend Formula broadcast(Formula x, Shape target);
  /// The sum of the products of entries: of two columns, or of two scalars.
  friend Formula dot(Formula left, const Formula& right);
  /// Of two scalars; x if either is NaN.
  friend Formula smaller(Formula x, const Formula& y);

 private:
  Formula() = default;
  Formula& append(const Formula& other);
  Formula& combine(Combination combination, const Formula& right);
  Formula& transform(const TransformationSpec& spec);

  Expr expr_;
};

[[nodiscard]] Formula apply(Transformation transformation, Formula x);
[[nodiscard]] Formula reshape(Formula x, Shape target);
[[nodiscard]] Formula broadcast(Formula x, Shape target);
[[nodiscard]] Formula dot(Formula left, const Formula& right);
[[nodiscard]] Formula smaller(Formula x, const Formula& y);
/// max(x, bound) entry by entry: x itself above the bound, up to one rounding.
[[nodiscard]] Formula at_least(const Formula& x, double bound);

}  // namespace vecc::training
