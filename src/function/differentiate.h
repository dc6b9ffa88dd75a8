// Derivatives of the functions of evaluate.h, in double, as vector-Jacobian products: from the
// gradient g at a function's result y, what reaches its arguments. Every gradient is *added to*
// what stands there already, so that an argument that is used twice gets both parts; an empty span
// stands for a gradient that is not asked for. The formulas, and what holds at kinks, are in
// docs/functions.md.
#pragma once

#include <cstdint>
#include <span>

#include "src/function/evaluate.h"

namespace vecc {

/// y = T(x): adds to `gx`, of x's size. `words` as in evaluate(). An entry of `g` that is zero adds
/// nothing, even where the derivative is infinite (sqrt at 0).
void differentiate(const TransformationSpec& spec, std::span<const std::uint32_t> words,
                   Shape shape, std::span<const double> x, std::span<const double> y,
                   std::span<const double> g, std::span<double> gx);

/// Whether that needs the values of x, of y; where it does not, they may be empty. Where either
/// tells the slope, it is y, which readers of the result keep anyway. (The slopes of sigmoid and
/// tanh have more digits where x is there too: y (1 - y) cancels.)
[[nodiscard]] bool derivative_reads_argument(const TransformationSpec& spec);
[[nodiscard]] bool derivative_reads_result(const TransformationSpec& spec);

/// Where the gradients of a combination's elements are added to: one span an element, of its size
/// or empty. Two may be the same memory (a neuron read twice).
using ElementGradients = std::span<const std::span<double>>;

/// y = C(elements); the arguments of evaluate().
void differentiate(Combination combination, const Expr* expr, std::span<const Element> elements,
                   std::span<const double> y, std::span<const double> g,
                   ElementGradients gradients);

/// Whether that reads the values of the elements (else only their number and shapes), of y.
[[nodiscard]] bool derivative_reads_elements(Combination combination);
[[nodiscard]] bool derivative_reads_result(Combination combination);

/// y = expr over its operands.
void differentiate(const Expr& expr, std::span<const Element> operands, std::span<const double> g,
                   ElementGradients gradients);

/// y = left times right.
void differentiate_times(Element left, Element right, std::span<const double> g,
                         std::span<double> g_left, std::span<double> g_right);

/// y += x, the term x: a scalar that was broadcast gets the sum over all entries.
void differentiate_add(std::span<const double> g, Shape shape, std::span<double> gx);

/// y = softmax(x) and y = sparsemax(x), from their results.
void differentiate_softmax(std::span<const double> y, std::span<const double> g,
                           std::span<double> gx);
void differentiate_sparsemax(std::span<const double> y, std::span<const double> g,
                             std::span<double> gx);

}  // namespace vecc
