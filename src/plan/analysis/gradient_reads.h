// What the gradient of a map by an operand reads: of a product of two factors the other one, of a
// sum nothing but the gradient of the map.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// By node of an expression over operands of these shapes.
[[nodiscard]] std::vector<Shape> expr_shapes(const Expr& expr, std::span<const Shape> operands);

/// Nodes of an expression that each of its nodes is made of.
[[nodiscard]] std::vector<std::vector<std::size_t>> expr_operands(const Expr& expr);

/// By node of an expression, whether operand `input` is in it.
[[nodiscard]] std::vector<bool> nodes_with_input(const Expr& expr, std::uint32_t input);

/// Whether the gradient by the k-th operand of node n is read from nothing but that of node n, of
/// shape `g`, and, in a product, from the other factor.
[[nodiscard]] bool passes_through(const Expr& expr, std::span<const Shape> shapes, std::size_t n,
                                  std::size_t operand, Shape g);

/// By operand of a `vjp` of a map, whether its rows are read; the last is the map's gradient.
[[nodiscard]] std::vector<bool> gradient_reads(const Program& program, ValueId vjp);

/// Whether a value is a gradient row for row: that of a map which adds the operand to others.
[[nodiscard]] bool passes_gradient_on(const Program& program, ValueId value);

}  // namespace vecc
