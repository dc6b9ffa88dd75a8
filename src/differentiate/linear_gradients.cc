// The backward rule of linear: products again, or contract where an operand is shared by rows.
#include <utility>

#include "src/differentiate/op_gradients.h"

namespace vecc::autodiff {
namespace {

std::uint32_t unlifted_row(const Lift& lift, std::uint32_t rows, std::uint32_t i) {
  switch (lift.kind) {
    case Lift::Kind::None: return i;
    case Lift::Kind::Repeat: return i % rows;
    case Lift::Kind::Interleave: return i / lift.times;
  }
  fail_check("known lift", __FILE__, __LINE__, std::to_string(static_cast<int>(lift.kind)));
}

// The rows that a lifted value of `rows` rows is read at.
Index lifted_rows(const Lift& lift, std::uint32_t rows) {
  switch (lift.kind) {
    case Lift::Kind::None: return Index::slice(0, rows);
    case Lift::Kind::Repeat: return Index::repeat(rows, lift.times);
    case Lift::Kind::Interleave: return Index::interleave(rows, lift.times);
  }
  fail_check("known lift", __FILE__, __LINE__, std::to_string(static_cast<int>(lift.kind)));
}

}  // namespace

OpGradients::Side OpGradients::side_of(const LinearOp& linear, ValueId id, std::size_t k) const {
  const ValueId value = program_.op(id).operands[k];
  const Shape shape = program_.op(value).shape;
  const bool transposed =
      (k == 0 ? linear.transpose_left : linear.transpose_right) && !shape.is_scalar();
  return {value, transposed, k == 0 ? linear.lift_left : linear.lift_right,
          transposed ? shape.transposed() : shape};
}

void OpGradients::pass(const LinearOp& linear, ValueId id, ValueId g) {
  if (program_.op(id).rows == 0) return;
  const Side sides[2] = {side_of(linear, id, 0), side_of(linear, id, 1)};
  for (const std::size_t k : {0, 1}) {
    const Side& own = sides[k];
    const Side& other = sides[1 - k];
    if (!sums_.wants(own.value)) continue;
    // A product by row would be larger than the g that it is made of, and summed after that.
    const bool is_outer = own.shape.size() > program_.op(g).shape.size() &&
                          (own.shape.is_matrix() || !other.shape.is_matrix());
    if (is_outer && is_shared(own)) {
      pass_contract(own, other, k == 0, g);
    } else {
      pass_product(own, other, k == 0, g);
    }
  }
}

bool OpGradients::is_shared(const Side& side) {
  if (side.lift.times > 1) return true;
  const auto* gather = std::get_if<GatherOp>(&program_.op(side.value).attributes);
  if (gather == nullptr) return false;
  const Index& index = gather->index;
  if (seen_.size() < index.bound()) seen_.resize(index.bound());
  ++calls_;
  for (std::uint32_t i = 0; i < index.size(); ++i) {
    if (std::exchange(seen_[index[i]], calls_) == calls_) return true;
  }
  return false;
}

OpGradients::Read OpGradients::read_of(const Side& side) const {
  ValueId source = side.value;
  const std::uint32_t rows = program_.op(source).rows;
  const auto* gather = std::get_if<GatherOp>(&program_.op(source).attributes);
  if (gather == nullptr) return {source, lifted_rows(side.lift, rows)};
  source = program_.op(source).operands[0];
  if (side.lift.times == 1) return {source, gather->index};
  std::vector<std::uint32_t> list(std::size_t{rows} * side.lift.times);
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    list[i] = gather->index[unlifted_row(side.lift, rows, i)];
  }
  return {source, Index::compact(std::move(list))};
}

ValueId OpGradients::unlifted(const Side& side, bool flip) {
  if (side.lift.times == 1) return flip ? transpose(side.value) : reread(side.value);
  const Read read = read_of(side);
  const ValueId source = flip ? transpose(read.source) : read.source;
  return program_.gather(source, read.rows, note_);
}

OpGradients::DistinctRows OpGradients::number_rows(const Index& index) {
  if (type_of_row_.size() < index.bound()) type_of_row_.resize(index.bound());
  std::vector<std::uint32_t> numbers(index.size());
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < index.size(); ++i) {
    std::uint32_t& type = type_of_row_[index[i]];
    if (type == 0) {
      rows.push_back(index[i]);
      type = static_cast<std::uint32_t>(rows.size());
    }
    numbers[i] = type - 1;
  }
  for (const std::uint32_t row : rows) type_of_row_[row] = 0;
  return {Index::compact(std::move(numbers)), Index::compact(std::move(rows))};
}

// For y = w x: sum of g x^T by row of w. For y = x w, y^T = w^T x^T: the same for w^T. A transpose
// of w has the sum of x g^T. Where the source has more rows than are read, only those that are have
// a row.
void OpGradients::pass_contract(const Side& own, const Side& other, bool is_left, ValueId g) {
  const Read types = read_of(own);
  const ValueId x = unlifted(other, other.transposed == is_left && !other.shape.is_scalar());
  const ValueId g_x = is_left ? g : transpose(g);
  ContractOp contract{types.rows, program_.op(types.source).rows,
                      is_left ? own.shape : own.shape.transposed()};
  std::optional<Index> places;  // by type: its row of the source
  if (contract.type_count / 2 > types.rows.size()) {
    const DistinctRows distinct = number_rows(types.rows);
    contract.type_count = distinct.rows.size();
    contract.types = distinct.numbers;
    places = distinct.rows;
  }
  bool flip = own.transposed == is_left;
  Operands sides{g_x, x};
  const Shape other_way = contract.weight_shape.transposed();
  const bool scales = other.shape.is_scalar() || other_way.is_scalar();
  if (flip && !scales && times_shape(other_way, program_.op(g_x).shape) == program_.op(x).shape) {
    sides = {x, g_x};
    contract.weight_shape = other_way;
    flip = false;
  }
  auto summed = program_.add(std::move(contract), std::move(sides), note_);
  VECC_CHECK(summed.has_value(), summed.error().text());
  const ValueId result = flip ? transpose(*summed) : *summed;
  if (places) {
    sums_.add_rows(types.source, result, *places);
  } else {
    sums_.add(types.source, result);
  }
}

// The sum of the entries of g times those of the other side, for a scalar that scales it.
ValueId OpGradients::dot(const Side& other, ValueId g) {
  LinearOp linear;
  linear.lift_right = other.lift;
  const Shape shape = other.shape;
  const ValueId x = reread(other.value);
  if (shape.is_scalar()) return program_.linear(g, x, linear, note_);
  if (shape.rows() == 1) {  // g x^T
    linear.transpose_right = !other.transposed;
    return program_.linear(g, x, linear, note_);
  }
  if (shape.cols() == 1) {  // g^T x
    linear.transpose_left = true;
    linear.transpose_right = other.transposed;
    return program_.linear(g, x, linear, note_);
  }
  const Shape column = Shape::column(static_cast<std::uint32_t>(shape.size()));
  const ValueId same = other.transposed ? transpose(g) : g;
  linear.transpose_left = true;
  const ValueId g_column = reshape(same, column);
  return program_.linear(g_column, reshape(x, column), linear, note_);
}

// g times the other side's transpose (for the right operand, the other way round), then transposed
// itself where the operand was: (g x^T)^T = x g^T.
ValueId OpGradients::product(const Side& own, const Side& other, bool is_left, ValueId g) {
  const bool g_first = is_left != own.transposed;
  LinearOp linear;
  const bool flip_g = own.transposed;
  const bool flip_other = other.transposed == own.transposed;
  (g_first ? linear.transpose_left : linear.transpose_right) =
      flip_g && !program_.op(g).shape.is_scalar();
  (g_first ? linear.transpose_right : linear.transpose_left) =
      flip_other && !other.shape.is_scalar();
  (g_first ? linear.lift_right : linear.lift_left) = other.lift;
  const ValueId x = reread(other.value);
  return g_first ? program_.linear(g, x, linear, note_) : program_.linear(x, g, linear, note_);
}

void OpGradients::pass_product(const Side& own, const Side& other, bool is_left, ValueId g) {
  ValueId result = own.shape.is_scalar() ? dot(other, g) : product(own, other, is_left, g);
  result = reshape(result, own.own_shape());  // of a 1x1: the product of one row and one column
  if (own.lift.times > 1) {
    const std::uint32_t dimension = own.lift.kind == Lift::Kind::Repeat ? 1 : 2;
    result = program_.segment(result, Segments::fixed(own.lift.times, dimension), Combination::Sum,
                              note_);
  }
  sums_.add(own.value, result);
}

}  // namespace vecc::autodiff
