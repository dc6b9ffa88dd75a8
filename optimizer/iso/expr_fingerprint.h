// Fingerprints of a `map`'s expression.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "optimizer/iso/functions.h"
#include "optimizer/iso/reduction.h"

namespace vecc::opt::iso {

/// An expression over operands of fixed shapes; shapes and places of all nodes are found once.
class ExprFingerprint {
 public:
  /// `expr` has passed check_expr and fits the shapes.
  ExprFingerprint(const Keys& keys, const Expr& expr, std::span<const Shape> operands);
  /// `y`: part_count of the result's shape. Whether the result is doubtful.
  bool compute(std::span<const RowFingerprint> operands, std::span<Residues> y);

 private:
  [[nodiscard]] RowFingerprint value(std::size_t node,
                                     std::span<const RowFingerprint> operands) const {
    const ExprNode& what = expr_.nodes[node];
    if (what.kind == ExprNode::Kind::Input) return operands[what.input];
    return {shapes_[node], std::span(parts_).subspan(begin_[node], begin_[node + 1] - begin_[node]),
            doubtful_[node]};
  }
  /// Of a node that computes something, into `y`. Whether it is doubtful.
  bool compute_node(std::size_t node, std::span<const RowFingerprint> operands,
                    std::span<Residues> y);
  [[nodiscard]] std::span<Residues> parts_of(std::size_t node) {
    return std::span(parts_).subspan(begin_[node], begin_[node + 1] - begin_[node]);
  }

  Keys keys_;  // its own: they remember what was asked last
  const Expr& expr_;
  std::vector<Shape> shapes_;        // by node
  std::vector<std::size_t> begin_;   // by node: its parts
  std::vector<std::size_t> inputs_;  // nodes that the nodes read, node after node
  std::vector<std::size_t> first_;   // by node: its first entry of inputs_
  Scratch parts_;
  std::vector<bool> doubtful_;                        // by node
  std::vector<std::optional<Reduction>> reductions_;  // by node: of what adds or multiplies
  std::vector<RowFingerprint> elements_;
};

}  // namespace vecc::opt::iso
