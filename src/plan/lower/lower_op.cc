// Row by row: products, functions, copies into concats.
#include <algorithm>
#include <numeric>
#include <utility>

#include "src/kernel/print_cuda.h"
#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lowering.h"
#include "src/plan/slow_function.h"

namespace vecc {
namespace {

// A matrix that rows share is read once for a tile of them, if there are enough of a type.
constexpr std::uint64_t kSharedProduct = 64;
constexpr std::uint32_t kRowsOfType = 4;
constexpr std::uint32_t kFewMatrices = 16;
// Groups that have kernels of their own at a time.
constexpr std::size_t kWarmGroups = 256;

OpPace pace_of(bool slow) {
  return slow ? OpPace::Slow : OpPace::ByEntry;
}

}  // namespace

Lowering::Lowering(const Program& program, const PlanOptions& options)
    : values(program.ops().size()),
      places(stored_places(program)),
      sources(value_sources(program, places)),
      program_(program),
      options_(options) {
  for (ValueId id = 0; id < values.size(); ++id) {
    values[id].rows = program.op(id).rows;
    values[id].shape = program.op(id).shape;
  }
  updated_parameters_.assign(program.parameters().size(), false);
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Update) continue;
    const auto* weight = std::get_if<WeightOp>(&program.op(op.operands[0]).attributes);
    if (weight != nullptr) updated_parameters_[weight->parameter] = true;
    updated_.push_back(op.operands[0]);
  }
  std::ranges::sort(updated_);
  find_late_products();
  find_followed();
}

void Lowering::lower_all() {
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    stage_ = id >= options_.second_stage ? 1 : 0;
    op_ = id;
    lower(id);
  }
  lower_updates();
}

void Lowering::forget() {
  groups.clear();
  values = std::vector<ValueState>();
  places = std::vector<Place>();
  sources = ValueSources();
}

void Lowering::lower(ValueId id) {
  const Op& op = program_.op(id);
  switch (op.kind()) {
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::State:
    case OpKind::Gather: return;  // stored before, or read through
    case OpKind::Output: mark_output(id); return;
    case OpKind::Update: updates_.push_back(id); return;
    case OpKind::Concat: lower_concat(id); return;
    case OpKind::Linear:
      if (!late_products_[id] && !is_map_product(id)) {
        lower_linear(id, std::get<LinearOp>(op.attributes), id);
      }
      return;
    case OpKind::Segment: lower_segment(id, std::get<SegmentOp>(op.attributes)); return;
    case OpKind::Transform: lower_transform(id, std::get<TransformOp>(op.attributes)); return;
    case OpKind::Map: lower_map(id, std::get<MapOp>(op.attributes)); return;
    case OpKind::Contract: lower_contract(id, std::get<ContractOp>(op.attributes)); return;
    case OpKind::Vjp: lower_vjp(id, std::get<VjpOp>(op.attributes)); return;
  }
}

// What the host reads: the rows behind the output; of what an update changes, a copy of the rows
// that were there before.
void Lowering::mark_output(ValueId id) {
  const ValueSource source = sources[program_.op(id).operands[0]];
  if (is_updated(source.value)) {
    const Op& op = program_.op(id);
    const ValueId copy = add_temporary(op.rows, op.shape);
    copy_rows(copy, read_of(op.operands[0]), op.rows, 0);
    sources.set(id, {copy, std::nullopt});
    return;
  }
  sources.set(id, source);
  mark_stored(source.value);
  freeze(source.value);
}

// The op that is being lowered is one of the group's.
void Lowering::note_op(KernelGroup& group) {
  if (group.ops.empty() || group.ops.back() != op_) group.ops.push_back(op_);
  if (std::exchange(group.is_warm, true)) return;
  warm_.push_back(&group);
  if (warm_.size() <= kWarmGroups) return;
  warm_.front()->is_warm = false;
  warm_.front()->seal(kernels_);
  warm_.pop_front();
}

// Rows of `read` are stored among those of `id`, from a row on.
void Lowering::copy_rows(ValueId id, const Read& read, std::uint32_t rows,
                         std::uint32_t first_row) {
  const Spot spot = new_group(rows, std::span(&read, 1));
  KernelGroup& group = groups[spot.group];
  const NodeIndex node = read_node(spot, read);
  GroupAccess access;
  access.value = id;
  access.first_row = first_row;
  group.store(node, access);
  group.frozen = true;
  note_op(group);
  values[id].ready = std::max(values[id].ready, group.level);
  values[id].stored = true;
}

// Parts that have the concat's buffer as their place are stored there by whoever makes them; the
// others are copied.
void Lowering::lower_concat(ValueId id) {
  const Op& op = program_.op(id);
  std::uint32_t row = 0;
  for (const ValueId operand : op.operands) {
    const std::uint32_t rows = program_.op(operand).rows;
    const auto [value, index] = sources[operand];
    const bool in_place = !index && places[value].buffer == places[id].buffer && value != id &&
                          places[value].first_row == places[id].first_row + row;
    if (in_place) {
      mark_stored(value);
      freeze(value);
      values[id].ready = std::max(values[id].ready, ready(value));
    } else if (rows > 0) {
      copy_rows(id, read_of(operand), rows, row);
    }
    row += rows;
  }
  values[id].stored = true;
}

// Rows of a `linear`, all or those of an index, become the value `made`.
void Lowering::lower_linear(ValueId id, const LinearOp& linear, ValueId made,
                            const std::optional<Index>& index) {
  if (!index && lower_stacked(id, linear)) return;
  const Op& op = program_.op(id);
  const std::uint32_t rows = values[made].rows;
  std::array<Read, 2> reads = linear_reads(id, linear, index);
  bool transposes[2] = {linear.transpose_left, linear.transpose_right};
  if (turns_product(rows, reads, transposes)) {
    std::swap(reads[0], reads[1]);
    transposes[0] = !linear.transpose_right;
    transposes[1] = false;
    reads[1].shape = Shape::column(static_cast<std::uint32_t>(reads[1].shape.size()));
  }
  Spot spot;
  if (shares_by_type(rows, reads[0])) {
    spot = new_group(rows, reads);
    groups[spot.group].types = list_of(*reads[0].index);
    reads[0].by_tile = true;
  } else if (shares_one(reads[0]) && is_shared_by_blocks(reads[0].shape)) {
    spot = new_group(rows, reads);
  } else {
    spot = find_spot(rows, reads, shares_one(reads[0]) ? OpPace::Product : OpPace::ByRow);
  }
  KernelGroup& group = groups[spot.group];
  const NodeIndex left = read_node(spot, reads[0]);
  const NodeIndex right = read_node(spot, reads[1]);
  const NodeIndex product =
      add_times(group, spot.space, left, add_reshape(group, spot.space, right, reads[1].shape),
                transposes[0], transposes[1]);
  finish(made, spot, add_reshape(group, spot.space, product, op.shape));
  const bool shares = reads[0].by_tile || shares_one(reads[0]);
  group.closed = shares && is_shared_by_blocks(reads[0].shape);
}

// Whether several blocks of a GPU have parts of such a matrix.
bool Lowering::is_shared_by_blocks(Shape matrix) const {
  return options_.target.has_shared_memory() && is_large_matrix(matrix);
}

// The operands' rows, all or those that an index of the op's names.
std::array<Read, 2> Lowering::linear_reads(ValueId id, const LinearOp& linear,
                                           const std::optional<Index>& index) const {
  const Op& op = program_.op(id);
  std::array<Read, 2> reads;
  for (const std::size_t side : {0u, 1u}) {
    const ValueId operand = op.operands[side];
    const Lift& lift = side == 0 ? linear.lift_left : linear.lift_right;
    ValueSource source = lifted_source(sources[operand], lift, program_.op(operand).rows);
    if (index) source = through(source, *index, values[source.value].rows);
    reads[side] = {source.value, source.index, program_.op(operand).shape};
    reads[side].one = reads[side].index && values[source.value].rows == 1;
  }
  return reads;
}

// Whether a row times a matrix that rows share is computed as the transposed matrix times a column:
// the same products, added up in the same order, in blocks of rows.
bool Lowering::turns_product(std::uint32_t rows, const std::array<Read, 2>& reads,
                             const bool (&transposes)[2]) const {
  const Shape left = transposes[0] ? reads[0].shape.transposed() : reads[0].shape;
  if (left.rows() != 1 || left.is_scalar() || !reads[1].shape.is_matrix()) return false;
  return shares_by_type(rows, reads[1]) || shares_one(reads[1]);
}

bool Lowering::shares_one(const Read& matrix) {
  return matrix.one && matrix.shape.size() >= kSharedProduct;
}

bool Lowering::shares_by_type(std::uint32_t rows, const Read& matrix) const {
  if (!matrix.index || matrix.one || matrix.shape.size() < kSharedProduct ||
      !matrix.shape.is_matrix()) {
    return false;
  }
  if (matrix.index->form() == Index::Form::Slice) return false;
  if (is_shared_by_blocks(matrix.shape)) return true;
  // Where short products do not run in blocks, the rows of few matrices need not be kept together.
  const std::uint32_t longest = std::max(matrix.shape.rows(), matrix.shape.cols());
  if (longest < options_.least_blocked_entries && values[matrix.value].rows <= kFewMatrices) {
    return false;
  }
  return rows >= kRowsOfType * std::uint64_t{values[matrix.value].rows};
}

void Lowering::lower_transform(ValueId id, const TransformOp& transform) {
  if (sources.value_of(id) != id) return;  // read through, too
  const Op& op = program_.op(id);
  const Read read = read_of(op.operands[0]);
  const Spot spot = find_spot(op.rows, std::span(&read, 1),
                              pace_of(is_slow_row(transform.transformation.id, op.shape)));
  KernelNode node;
  node.kind = KernelNode::Kind::Transform;
  node.shape = op.shape;
  node.transformation = transform.transformation;
  set_words(spot, transform, node);
  node.operands.push_back(read_node(spot, read));
  finish(id, spot, groups[spot.group].add(std::move(node), spot.space));
}

void Lowering::set_words(Spot spot, const TransformOp& transform, KernelNode& node) {
  const std::uint32_t count = word_count(transform.transformation.id);
  if (count == 0) return;
  if (transform.words->size() == count) {
    std::ranges::copy(*transform.words, node.words.begin());
    return;
  }
  node.words_by_row = true;
  node.word_slot = groups[spot.group].add_words(array_of(transform.words));
}

void Lowering::lower_map(ValueId id, const MapOp& map) {
  const Op& op = program_.op(id);
  const std::vector<Read> operand_reads = map_reads(op.operands, op.rows);
  std::vector<Read> reads;
  for (const Read& read : operand_reads) {
    if (!is_map_product(read.value)) {
      reads.push_back(read);
      continue;
    }
    for (const Read& side : product_reads(read.value)) reads.push_back(side);
  }
  const bool slow = std::ranges::any_of(map.expr->nodes, [&](const ExprNode& node) {
    return node.kind == ExprNode::Kind::Transform && is_slow_row(node.transformation.id, op.shape);
  });
  const Spot spot = find_spot(op.rows, reads, pace_of(slow));
  std::vector<NodeIndex> operands;
  for (const Read& read : operand_reads) {
    operands.push_back(is_map_product(read.value) ? product_node(spot, read.value)
                                                  : read_node(spot, read));
  }
  ExprNodes nodes(groups[spot.group], spot.space, *map.expr, operands);
  finish(id, spot, nodes.result());
}

std::vector<Read> Lowering::map_reads(std::span<const ValueId> operands, std::uint32_t rows) const {
  std::vector<Read> reads;
  for (const ValueId operand : operands) {
    reads.push_back(read_of(operand));
    reads.back().one = rows != 1 && program_.op(operand).rows == 1;
  }
  return reads;
}

}  // namespace vecc
