// Evaluation of functions in double: slow, obvious loops, shared by the reference backend and the
// Program interpreter. Values are row-major; sums run in input order. Every caller has computed the
// result's shape before, with the shape rules of vecc/function.h and vecc/shape.h: arguments that
// do not fit them are the caller's bug.
#pragma once

#include <cstdint>
#include <span>

#include "vecc/function.h"

namespace vecc {

/// One element of a combination's list.
struct Element {
  Shape shape;
  std::span<const double> values;  ///< shape.size()
};

/// y = T(x): `y` holds transformed_shape(spec, words, shape).size() elements. x and y do not
/// overlap.
void evaluate(const TransformationSpec& spec, std::span<const std::uint32_t> words, Shape shape,
              std::span<const double> x, std::span<double> y);

/// y = C(elements) over at least one element: `y` holds combined_shape(...).size() elements and
/// overlaps none of them. `expr` is FunctionGraph's tree, null otherwise. C is never skipped here.
/// (CONCAT is the same for both axes: rows stacked are elements one after another.)
void evaluate(Combination combination, const Expr* expr, std::span<const Element> elements,
              std::span<double> y);

/// y = expr over its operands; checked by check_expr and fitting by combined_shape.
void evaluate(const Expr& expr, std::span<const Element> operands, std::span<double> y);

/// y = left times right: scale, dot, outer or matrix product (times_shape). `y` overlaps neither.
void times(Element left, Element right, std::span<double> y);

/// y += x: a scalar x broadcasts. Sizes equal otherwise.
void add_to(std::span<double> y, Element x);

/// The first element with the largest (smallest, if not `largest`) sum of entries; a NaN sum is
/// neither larger nor smaller than any. At least one element.
[[nodiscard]] std::size_t select_by_sum(std::span<const Element> elements, bool largest);
/// The same of one entry of each element.
[[nodiscard]] std::size_t select_by_entry(std::span<const Element> elements, std::size_t entry,
                                          bool largest);

/// Softmax or sparsemax over the members of a segment, of each entry by itself: y has the members'
/// rows one after another.
void evaluate_members(Combination combination, std::span<const Element> members,
                      std::span<double> y);

/// e^(x - max x) / sum of those. At least one entry.
void softmax(std::span<const double> x, std::span<double> y);
/// The Euclidean projection of x on the probability simplex. At least one entry.
void sparsemax(std::span<const double> x, std::span<double> y);

}  // namespace vecc
