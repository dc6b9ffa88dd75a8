// The nodes of an expression, and of its derivative by one operand.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/plan/group/kernel_group.h"

namespace vecc {

class ExprNodes {
 public:
  /// Adds a node for each node of the expression but its inputs, which are `operands`.
  ExprNodes(KernelGroup& group, KernelSpace space, const Expr& expr,
            std::span<const NodeIndex> operands);

  [[nodiscard]] NodeIndex result() const { return values_.back(); }
  /// Adds the gradient by operand `wrt`, from `g`, that by the result; none if it is zero
  /// everywhere.
  std::optional<NodeIndex> differentiate(std::uint32_t wrt, NodeIndex g);

 private:
  NodeIndex add_node(const ExprNode& node, std::span<const NodeIndex> own);
  void pass_on(std::size_t n, NodeIndex g);
  void pass_on_product(std::size_t n, NodeIndex g);
  void add_gradient(std::size_t n, std::optional<NodeIndex> g);

  KernelGroup& group_;
  KernelSpace space_;
  const Expr& expr_;
  std::vector<NodeIndex> values_;                    // by node of the expression
  std::vector<std::vector<std::size_t>> operands_;   // by node: nodes of the expression
  std::vector<bool> wanted_;                         // by node: the operand is in it
  std::vector<std::optional<NodeIndex>> gradients_;  // by node
};

/// A times B as a node, each after its transpose.
NodeIndex add_times(KernelGroup& group, KernelSpace space, NodeIndex left, NodeIndex right,
                    bool transpose_left, bool transpose_right);
/// The same with the entries multiplied one by one (a scalar broadcasts).
NodeIndex add_entry_product(KernelGroup& group, KernelSpace space, NodeIndex a, NodeIndex b);
NodeIndex add_row_sum(KernelGroup& group, KernelSpace space, NodeIndex a);
/// The same entries as another shape; `a` itself if it has that shape.
NodeIndex add_reshape(KernelGroup& group, KernelSpace space, NodeIndex a, Shape shape);
NodeIndex add_guard(KernelGroup& group, KernelSpace space, NodeIndex zeros, NodeIndex value);

/// The gradient of `left times right` by the left (or right) factor in direction g: docs of `times`
/// in src/function/differentiate.h.
NodeIndex add_times_gradient(KernelGroup& group, KernelSpace space, NodeIndex g, NodeIndex other,
                             Shape shape, bool by_left);

}  // namespace vecc
