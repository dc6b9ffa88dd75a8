// Adds the nodes of an op to one loop of a kernel.
#pragma once

#include <cstdint>
#include <utility>

#include "src/plan/group/grouping.h"

namespace vecc {

class KernelBuilder {
 public:
  KernelBuilder(const Program& program, Grouping& grouping, ValueId op, GroupIndex group,
                KernelSpace space)
      : program_(program), grouping_(grouping), op_(op), number_(group), space_(space) {}

  [[nodiscard]] KernelGroup& group() const { return grouping_.groups[number_]; }
  [[nodiscard]] KernelSpace space() const { return space_; }
  /// The same kernel's loop over rows, which what members make is there in.
  [[nodiscard]] KernelBuilder rows() const {
    return {program_, grouping_, op_, number_, KernelSpace::Row};
  }
  [[nodiscard]] Shape shape_of(NodeIndex node) const { return group().shape_of(node); }
  void begin_members(bool reversed = false) const {
    group().begin_phase(KernelSpace::Member, reversed);
  }
  /// Another op is computed here, too.
  void note_op(ValueId op) const { grouping_.groups.note_op(number_, op); }

  /// What an op reads: a node if the group computes it and it is still there, else a load.
  [[nodiscard]] NodeIndex read(const RowRead& read) const;
  [[nodiscard]] NodeIndex load(const RowRead& read) const;

  /// The node becomes that of a value, or is stored among the value's rows: from a row on, or to
  /// the rows that a list names.
  void make(ValueId id, NodeIndex node) const;
  void store_rows(ValueId id, NodeIndex node, std::uint32_t first_row,
                  ArrayIndex list = kNone) const;

  NodeIndex add(KernelNode node) const { return group().add(std::move(node), space_); }
  [[nodiscard]] NodeIndex constant(double value) const { return group().constant(value, space_); }
  [[nodiscard]] NodeIndex zeros(Shape shape) const;
  /// Of the same shape as `a`; its words are no words.
  [[nodiscard]] NodeIndex transform(Transformation function, NodeIndex a) const;
  [[nodiscard]] NodeIndex sum(NodeIndex a, NodeIndex b) const {
    return add(node_of(KernelNode::Kind::Combine, shape_of(a), {a, b}));
  }
  [[nodiscard]] NodeIndex difference(NodeIndex a, NodeIndex b) const {
    return sum(a, entry_product(b, constant(-1)));
  }
  /// Entry by entry; a number is broadcast.
  [[nodiscard]] NodeIndex entry_product(NodeIndex a, NodeIndex b) const;
  [[nodiscard]] NodeIndex row_sum(NodeIndex a) const;
  /// The same entries as another shape; `a` itself if it has that shape.
  [[nodiscard]] NodeIndex reshape(NodeIndex a, Shape shape) const;
  /// `value`; zeros where all entries of `zeros` are zero.
  [[nodiscard]] NodeIndex guard(NodeIndex zeros, NodeIndex value) const {
    return add(node_of(KernelNode::Kind::Guard, shape_of(value), {zeros, value}));
  }
  /// `value`; zero in each entry where `zeros` is.
  [[nodiscard]] NodeIndex guard_entries(NodeIndex zeros, NodeIndex value) const;
  /// A times B, each after its transpose.
  [[nodiscard]] NodeIndex times(NodeIndex left, NodeIndex right, bool transpose_left = false,
                                bool transpose_right = false) const;
  /// The gradient of `left times right` by the left (or right) factor in direction g: docs of
  /// `times` in src/function/differentiate.h.
  [[nodiscard]] NodeIndex times_gradient(NodeIndex g, NodeIndex other, Shape shape,
                                         bool by_left) const;
  /// Over the members; a node of the loop over rows.
  [[nodiscard]] NodeIndex reduce(Combination combination, NodeIndex of) const;

 private:
  [[nodiscard]] NodeIndex transpose(NodeIndex a) const;

  const Program& program_;
  Grouping& grouping_;
  ValueId op_;
  GroupIndex number_;
  KernelSpace space_;
};

}  // namespace vecc
