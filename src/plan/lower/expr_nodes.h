// The nodes of an expression, and of its derivative by one operand.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/plan/lower/kernel_builder.h"

namespace vecc {

class ExprNodes {
 public:
  /// Adds a node for each node of the expression but its inputs, which are `operands`. For a
  /// derivative that does not read all of these (gradient_reads), those may be kNone, of the given
  /// shapes; what is made of them is left out.
  ExprNodes(const KernelBuilder& kernel, const Expr& expr, std::span<const NodeIndex> operands,
            std::span<const Shape> shapes = {});

  [[nodiscard]] NodeIndex result() const { return values_.back(); }
  /// Adds the gradient by operand `wrt`, from `g`, that by the result; none if it is zero
  /// everywhere.
  std::optional<NodeIndex> differentiate(std::uint32_t wrt, NodeIndex g);

 private:
  NodeIndex add_node(std::size_t n, std::span<const NodeIndex> own);
  void pass_on(std::size_t n, NodeIndex g);
  void pass_on_product(std::size_t n, NodeIndex g);
  [[nodiscard]] NodeIndex pass_through(std::size_t n, std::size_t k, NodeIndex g) const;
  [[nodiscard]] NodeIndex part_of(std::size_t n, std::size_t k, NodeIndex g) const;

  const KernelBuilder& kernel_;
  const Expr& expr_;
  std::vector<std::vector<std::size_t>> operands_;   // by node: nodes of the expression
  std::vector<Shape> shapes_;                        // by node of the expression
  std::vector<NodeIndex> values_;                    // by node; kNone: left out
  std::vector<bool> wanted_;                         // by node: the operand is in it
  std::vector<std::optional<NodeIndex>> gradients_;  // by node; in a tree each has one reader
};

}  // namespace vecc
