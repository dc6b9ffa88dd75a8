#include "src/plan/lower/kernel_builder.h"

#include <utility>

#include "src/plan/group/choose_group.h"

namespace vecc {

NodeIndex KernelBuilder::read(const RowRead& read) const {
  if (is_constant_one(program_, read.value)) return constant(1);
  if (has_node(grouping_, number_, space_, read)) {
    const ValueState& state = grouping_.values[read.value];
    const bool is_visible = group().is_visible(state.node, space_);
    // What members make is there in the next phase.
    if (!is_visible && state.space == KernelSpace::Row) group().begin_phase(space_);
    if (is_visible || state.space == KernelSpace::Row) return reshape(state.node, read.shape);
  }
  return load(read);
}

NodeIndex KernelBuilder::load(const RowRead& read) const {
  GroupAccess from{{false, space_, RowMap::Direct, read.shape}, read.value};
  if (read.by_tile) {
    from.access.map = RowMap::Tile;
  } else if (read.one || (read.index && grouping_.values[read.value].rows == 1)) {
    from.access.map = RowMap::One;
    // The row that it names, of a value with more.
    if (read.index && read.index->size() > 0 && grouping_.values[read.value].rows > 1) {
      from.first_row = (*read.index)[0];
    }
  } else if (read.index && read.index->form() == Index::Form::Slice) {
    from.first_row = read.index->begin();
  } else if (read.index) {
    from.access.map = RowMap::List;
    from.list = grouping_.arrays.add(*read.index);
  }
  grouping_.values.mark_stored(read.value);
  grouping_.values.set_reader(read.value, number_);
  if (grouping_.values[read.value].group != number_) grouping_.freeze(read.value);
  return group().load(from);
}

void KernelBuilder::make(ValueId id, NodeIndex node) const {
  grouping_.values.set_node(id, number_, node, group().space_of(node));
  note_op(op_);
  group().add_value(id, node);
}

void KernelBuilder::store_rows(ValueId id, NodeIndex node, std::uint32_t first_row,
                               ArrayIndex list) const {
  GroupAccess access;
  access.access.map = list == kNone ? RowMap::Direct : RowMap::List;
  access.value = id;
  access.first_row = first_row;
  access.list = list;
  group().store(node, access);
  group().frozen = true;
  note_op(op_);
  grouping_.values.add_stored_rows(id, group().level);
}

NodeIndex KernelBuilder::zeros(Shape shape) const {
  const NodeIndex zero = constant(0);
  if (shape.is_scalar()) return zero;
  KernelNode all = node_of(KernelNode::Kind::Transform, shape, {zero});
  all.transformation.id = Transformation::Broadcast;
  all.transformation.target = shape;
  return add(std::move(all));
}

NodeIndex KernelBuilder::transform(Transformation function, NodeIndex a) const {
  KernelNode node = node_of(KernelNode::Kind::Transform, shape_of(a), {a});
  node.transformation.id = function;
  return add(std::move(node));
}

NodeIndex KernelBuilder::entry_product(NodeIndex a, NodeIndex b) const {
  const Shape shape = shape_of(a).is_scalar() ? shape_of(b) : shape_of(a);
  KernelNode node = node_of(KernelNode::Kind::Combine, shape, {a, b});
  node.combination = Combination::ElProduct;
  return add(std::move(node));
}

NodeIndex KernelBuilder::guard_entries(NodeIndex zeros, NodeIndex value) const {
  KernelNode node = node_of(KernelNode::Kind::Guard, shape_of(value), {zeros, value});
  node.by_entry = !node.shape.is_scalar();
  return add(std::move(node));
}

NodeIndex KernelBuilder::row_sum(NodeIndex a) const {
  if (shape_of(a).is_scalar()) return a;
  return add(node_of(KernelNode::Kind::RowSum, Shape::scalar(), {a}));
}

NodeIndex KernelBuilder::reshape(NodeIndex a, Shape shape) const {
  if (shape_of(a) == shape) return a;
  KernelNode node = node_of(KernelNode::Kind::Transform, shape, {a});
  node.transformation.id = Transformation::Reshape;
  node.transformation.target = shape;
  return add(std::move(node));
}

NodeIndex KernelBuilder::transpose(NodeIndex a) const {
  KernelNode node = node_of(KernelNode::Kind::Transform, shape_of(a).transposed(), {a});
  node.transformation.id = Transformation::Transp;
  return add(std::move(node));
}

NodeIndex KernelBuilder::times(NodeIndex left, NodeIndex right, bool transpose_left,
                               bool transpose_right) const {
  // A number scales entry by entry: the other side stands as it comes out.
  if (transpose_left && shape_of(right).is_scalar()) {
    left = transpose(left);
    transpose_left = false;
  }
  if (transpose_right && shape_of(left).is_scalar()) {
    right = transpose(right);
    transpose_right = false;
  }
  const Shape l = shape_of(left);
  const Shape r = shape_of(right);
  const auto shape =
      times_shape(transpose_left ? l.transposed() : l, transpose_right ? r.transposed() : r);
  VECC_CHECK(shape.has_value(),
             "operands of a product have shapes that do not fit: " + l.text() + " and " + r.text());
  KernelNode node = node_of(KernelNode::Kind::Times, *shape, {left, right});
  node.transpose_left = transpose_left;
  node.transpose_right = transpose_right;
  return add(std::move(node));
}

NodeIndex KernelBuilder::times_gradient(NodeIndex g, NodeIndex other, Shape shape,
                                        bool by_left) const {
  if (shape.is_scalar()) return row_sum(entry_product(g, other));  // it scaled the other one
  if (shape_of(other).is_scalar()) return reshape(entry_product(g, other), shape);
  // g x^T, or w^T g; a scalar g is the 1x1 result of a row and a column.
  const NodeIndex result = by_left ? times(g, other, false, true) : times(other, g, true, false);
  return reshape(result, shape);
}

NodeIndex KernelBuilder::reduce(Combination combination, NodeIndex of) const {
  KernelNode node = node_of(KernelNode::Kind::Reduce, shape_of(of), {of});
  node.combination = combination;
  return add(std::move(node));
}

}  // namespace vecc
