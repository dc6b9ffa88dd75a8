#include "tests/program/random_op.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace vecc::test {

ValueId RandomOps::add(OpAttributes attributes, const Operands& operands) {
  std::string note = random_.chance(0.5) ? "" : any_name();
  const auto value = program_.add(std::move(attributes), operands, std::move(note));
  VECC_CHECK(value.has_value(), value.error().text());
  return *value;
}

double RandomOps::any_number() {
  using Limits = std::numeric_limits<double>;
  static const std::vector<double> kSpecial{0.0,
                                            -0.0,
                                            1.0,
                                            0.1,
                                            -1e300,
                                            Limits::min(),
                                            Limits::max(),
                                            Limits::denorm_min(),
                                            Limits::infinity(),
                                            -Limits::infinity(),
                                            Limits::quiet_NaN()};
  return random_.chance(0.3) ? random_.pick(kSpecial) : random_.real(-2, 2);
}

std::vector<double> RandomOps::any_numbers(std::uint64_t count) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(any_number());
  return values;
}

Shape RandomOps::any_shape() {
  static const std::vector<Shape> kShapes{Shape(),     Shape(2, 1), Shape(3, 1), Shape(1, 3),
                                          Shape(2, 3), Shape(3, 3), Shape(1, 1)};
  return random_.pick(kShapes);
}

std::string RandomOps::any_name() {
  static const std::vector<std::string> kNames{"layer_1: rule",
                                               "a \"quoted\" name",
                                               "two\nlines",
                                               "*/ // \\",
                                               "<script>alert(1)</script>",
                                               "\x1b[31mred",
                                               "\xe2\x80\xae"
                                               "bidi",
                                               "bad \xff utf8",
                                               " spaces ",
                                               "# : [0] %3"};
  return random_.pick(kNames) + std::to_string(names_++);
}

std::uint32_t RandomOps::any_rows() {
  return random_.chance(0.1) ? random_.below(2) : random_.between(1, random_.chance(0.2) ? 40 : 8);
}

std::uint32_t RandomOps::any_divisor(std::uint32_t rows) {
  std::vector<std::uint32_t> divisors{1};
  for (std::uint32_t d = 2; d <= rows && d <= 6; ++d) {
    if (rows % d == 0) divisors.push_back(d);
  }
  return random_.pick(divisors);
}

ValueId RandomOps::add_fact(std::uint32_t rows, Shape shape) {
  auto values = SharedNumbers::of(any_numbers(rows * shape.size()));
  return add(FactOp{std::move(values), rows, shape, false}, {});
}

void RandomOps::add_fact() {
  if (random_.chance(0.2)) {
    add(FactOp{nullptr, any_rows(), Shape(), true}, {});
  } else {
    add_fact(any_rows(), any_shape());
  }
}

void RandomOps::add_weight() {
  Parameter parameter{any_name(), any_rows(), any_shape(), nullptr};
  if (random_.chance(0.7)) {
    parameter.values = SharedNumbers::of(any_numbers(parameter.rows * parameter.shape.size()));
  }
  const auto index = program_.add_parameter(std::move(parameter));
  VECC_CHECK(index.has_value(), index.error().text());
  add(WeightOp{*index}, {});
}

void RandomOps::add_concat() {
  Operands operands{any_value()};
  for (ValueId value = 0; value < program_.ops().size() && operands.size() < 4; ++value) {
    const bool fits = program_.op(value).shape == program_.op(operands[0]).shape;
    if (fits && random_.chance(0.4)) operands.push_back(value);
  }
  add(ConcatOp{}, operands);
}

Index RandomOps::any_list(std::uint32_t bound, std::uint32_t count) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < count && bound > 0; ++i) rows.push_back(random_.below(bound));
  return Index::list(std::move(rows));
}

Index RandomOps::any_index(std::uint32_t bound) {
  const std::uint32_t begin = random_.below(std::uint64_t{bound} + 1);
  const std::uint32_t rest = bound - begin;
  switch (random_.below(5)) {
    case 0: return Index::slice(begin, random_.below(std::uint64_t{rest} + 1));
    case 1: {
      const std::uint32_t step = random_.between(1, 3);
      return Index::stride(begin, step, random_.below(std::uint64_t{rest + step - 1} / step + 1));
    }
    case 2: return Index::repeat(begin, random_.below(4));
    case 3: return Index::interleave(begin, random_.between(1, 3));
  }
  return any_list(bound, any_rows());
}

void RandomOps::add_gather() {
  const ValueId operand = any_value();
  add(GatherOp{any_index(program_.op(operand).rows)}, {operand});
}

Shape RandomOps::any_weight_for(Shape x) {
  if (x.is_scalar()) return any_shape();
  if (random_.chance(0.2)) return Shape();
  return Shape(random_.between(1, 3), x.rows());
}

void RandomOps::add_linear() {
  const ValueId right = any_value();
  const Op& x = program_.op(right);
  if (x.shape.size() > 64) return;
  LinearOp op;
  op.transpose_right = random_.chance(0.3);
  op.transpose_left = random_.chance(0.3);
  std::uint32_t rows = x.rows;
  if (random_.chance(0.4)) {
    op.lift_left = {random_.chance(0.5) ? Lift::Kind::Repeat : Lift::Kind::Interleave,
                    any_divisor(rows)};
    rows /= op.lift_left.times;
  } else if (random_.chance(0.3)) {
    op.lift_right = {Lift::Kind::Repeat, random_.between(1, 3)};
    rows *= op.lift_right.times;
  }
  Shape weight = any_weight_for(op.transpose_right ? x.shape.transposed() : x.shape);
  if (op.transpose_left) weight = weight.transposed();
  add(op, {add_fact(rows, weight), right});
}

Segments RandomOps::any_segments(std::uint32_t rows, bool needs_members) {
  if (random_.chance(0.5)) return Segments::fixed(any_divisor(rows), random_.between(1, 2));
  std::vector<std::uint32_t> offsets{0};
  while (offsets.back() < rows) {
    offsets.push_back(offsets.back() + random_.between(1, std::min(rows - offsets.back(), 4u)));
    if (!needs_members && random_.chance(0.2)) offsets.push_back(offsets.back());
  }
  return Segments::ragged(std::move(offsets));
}

void RandomOps::add_segment() {
  const ValueId operand = any_value();
  const Op& x = program_.op(operand);
  static const std::vector<Combination> kAll{
      Combination::Sum,     Combination::Avg,       Combination::Max,   Combination::Min,
      Combination::ElMax,   Combination::ElMin,     Combination::Count, Combination::ElProduct,
      Combination::Softmax, Combination::Sparsemax, Combination::Concat};
  Combination combination = random_.pick(kAll);
  if (combination == Combination::Sparsemax && !x.shape.is_scalar()) {
    combination = Combination::Softmax;
  }
  const bool needs_members = selects(combination);
  Segments segments = combination == Combination::Concat && x.shape.size() < 64
                          ? Segments::fixed(any_divisor(x.rows))
                          : any_segments(x.rows, needs_members);
  if (combination == Combination::Concat && x.shape.size() >= 64) combination = Combination::Sum;
  add(SegmentOp{std::move(segments), combination}, {operand});
}

// Words that fit one row; none where the transformation itself does not fit.
std::optional<Words> RandomOps::any_words(Transformation id, Shape shape) {
  Words words{};
  if (word_count(id) == 1) words[0] = random_.below(shape.size());
  if (word_count(id) == 4) {
    words[0] = random_.below(shape.rows());
    words[1] = random_.chance(0.3) ? kToEnd : random_.between(words[0] + 1, shape.rows());
    words[2] = random_.below(shape.cols());
    words[3] = random_.chance(0.3) ? kToEnd : random_.between(words[2] + 1, shape.cols());
  }
  return words;
}

void RandomOps::add_transform() {
  const ValueId operand = any_value();
  const Op& x = program_.op(operand);
  TransformOp op;
  op.transformation.id = transformations()[random_.below(transformations().size())].id;
  const auto& about = info(op.transformation.id);
  const bool is_softmax = op.transformation.id == Transformation::Softmax ||
                          op.transformation.id == Transformation::Sparsemax ||
                          op.transformation.id == Transformation::LogSoftmax;
  if ((about.domain == FunctionDomain::Tensor && x.shape.is_scalar()) ||
      (is_softmax && x.shape.is_matrix())) {
    op.transformation.id = Transformation::LeakyRelu;
  }
  const Transformation id = op.transformation.id;
  if (id == Transformation::LeakyRelu) op.transformation.slope = random_.real(-1, 1);
  if (id == Transformation::Reshape) {
    op.transformation.target = Shape::row(static_cast<std::uint32_t>(x.shape.size()));
  }
  if (id == Transformation::Broadcast && !x.shape.is_scalar()) {
    op.transformation.id = Transformation::Tanh;
  } else if (id == Transformation::Broadcast) {
    op.transformation.target = any_shape();
  }
  const std::uint32_t width = word_count(op.transformation.id);
  if (width > 0) {
    std::vector<std::uint32_t> words;
    const std::uint32_t copies = width == 1 && x.rows > 0 && random_.chance(0.5) ? x.rows : 1;
    for (std::uint32_t row = 0; row < copies; ++row) {
      const Words own = *any_words(op.transformation.id, x.shape);
      words.insert(words.end(), own.begin(), own.begin() + width);
    }
    op.words = std::make_shared<const std::vector<std::uint32_t>>(std::move(words));
  }
  add(std::move(op), {operand});
}

// A tree over operands: sums of elementwise functions, or one of the list combinations.
Expr RandomOps::any_expr(std::vector<Shape>& shapes) {
  static const std::vector<const char*> kOfVectors{"concat($0, $1)",
                                                   "crosssum($0, $1)",
                                                   "cossim($0, $1)",
                                                   "concat[axis=0]($0, $1)",
                                                   "max(exp($0), $1)",
                                                   "norm(softmax($1))",
                                                   "slice[1:3, 0:]($0)",
                                                   "atindex[2]($1)",
                                                   "product(transp($0), $1)",
                                                   "reshape[1x3](abs($0))",
                                                   "min($1, $0)",
                                                   "avg($0, $1, $0)",
                                                   "softmax(atindex[0]($0), atindex[1]($1))",
                                                   "count($0, $1)"};
  static const std::vector<const char*> kOfScalars{"elproduct(sum($0, $1), tanh($1))",
                                                   "sum($0, 0.1, -1e-300)",
                                                   "softmax($0, $1, 2)",
                                                   "leakyrelu[0.2]($0)",
                                                   "broadcast[3x1](reverse($1))",
                                                   "$1",
                                                   "sparsemax(signum($0), gelu($1))"};
  const bool vectors = random_.chance(0.5);
  const Shape shape = vectors ? Shape::column(3) : Shape::scalar();
  shapes = {shape, shape};
  auto expr = parse_expr(random_.pick(vectors ? kOfVectors : kOfScalars), "test");
  VECC_CHECK(expr.has_value(), expr.error().text());
  return std::move(*expr);
}

void RandomOps::add_map() {
  std::vector<Shape> shapes;
  Expr expr = any_expr(shapes);
  const std::uint32_t rows = any_rows();
  Operands operands;
  for (const Shape shape : shapes) {
    operands.push_back(add_fact(random_.chance(0.3) ? 1 : rows, shape));
  }
  add(MapOp{std::make_shared<const Expr>(std::move(expr))}, operands);
}

void RandomOps::add_contract() {
  const ValueId x = any_value();
  const std::uint32_t rows = program_.op(x).rows;
  if (program_.op(x).shape.size() > 64) return;
  ContractOp op;
  op.weight_shape = any_weight_for(program_.op(x).shape);
  op.type_count = random_.between(1, 4);
  op.types = random_.chance(0.5) && rows <= op.type_count ? Index::slice(0, rows)
                                                          : any_list(op.type_count, rows);
  const Shape gradient = *times_shape(op.weight_shape, program_.op(x).shape);
  const ValueId g = add_fact(rows, gradient);
  add(std::move(op), {g, x});
}

// Of a new segment, transform or map.
void RandomOps::add_vjp() {
  switch (random_.below(3)) {
    case 0: add_segment(); break;
    case 1: add_transform(); break;
    default: add_map();
  }
  const auto id = static_cast<ValueId>(program_.ops().size() - 1);
  const Op op = program_.op(id);
  VjpOp vjp;
  if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) vjp.of = *segment;
  if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) vjp.of = *transform;
  if (const auto* map = std::get_if<MapOp>(&op.attributes)) vjp.of = *map;
  vjp.wrt = random_.below(op.operands.size());
  vjp.shape = program_.op(op.operands[vjp.wrt]).shape;
  const VjpReads reads = reads_of(vjp);
  Operands operands;
  if (reads.operands) operands = op.operands;
  if (reads.result) operands.push_back(id);
  operands.push_back(add_fact(op.rows, op.shape));
  add(std::move(vjp), operands);
}

ValueId RandomOps::add_draw(std::uint32_t rows, std::uint32_t bound) {
  DrawOp draw{rows, bound, random_.below(3), random_.below(256)};
  if (random_.chance(0.5)) draw.stream = 2;  // keys that are met again
  const ValueId step =
      add(FactOp{SharedNumbers::repeated(1, random_.below(3)), 1, Shape::scalar(), false}, {});
  return note_numbers(add(draw, {step}), bound);
}

void RandomOps::add_draw() {
  add_draw(any_rows(), random_.between(1, 1u << (random_.chance(0.5) ? 24 : 3)));
}

ValueId RandomOps::note_numbers(ValueId value, std::uint32_t bound) {
  numbers_.push_back({value, bound});
  return value;
}

ValueId RandomOps::fact_of_numbers(std::uint32_t rows, std::uint32_t count) {
  std::vector<double> numbers;
  for (std::uint32_t i = 0; i < count; ++i) numbers.push_back(random_.below(rows));
  auto values = SharedNumbers::of(std::move(numbers));
  return note_numbers(add(FactOp{std::move(values), count, Shape::scalar(), false}, {}), rows);
}

// Numbers that are there already, in rows that fit.
std::optional<ValueId> RandomOps::known_numbers(std::uint32_t rows, std::uint32_t count) {
  std::vector<ValueId> fit;
  for (const Numbers& each : numbers_) {
    if (each.bound <= rows && program_.op(each.value).rows > 0) fit.push_back(each.value);
  }
  if (fit.empty()) return std::nullopt;
  const ValueId numbers = random_.pick(fit);
  if (program_.op(numbers).rows == count && random_.chance(0.5)) return numbers;
  return note_numbers(add(GatherOp{any_list(program_.op(numbers).rows, count)}, {numbers}), rows);
}

// Every way to come by them that a step may have: constants, drawn, computed, taken.
ValueId RandomOps::any_row_numbers(std::uint32_t rows, std::uint32_t count) {
  if (rows == 0) count = 0;
  if (rows == 0 || random_.chance(0.2)) return fact_of_numbers(rows, count);
  switch (random_.below(6)) {
    case 0: return add_draw(count, rows);
    case 1: {
      const std::uint32_t held = random_.between(1, 5);
      const ValueId table = any_row_numbers(rows, held);
      return note_numbers(add(TakeOp{}, {table, any_row_numbers(held, count)}), rows);
    }
    case 2: {
      const std::uint32_t first = random_.between(0, count);
      const ValueId begin = any_row_numbers(rows, first);
      return note_numbers(add(ConcatOp{}, {begin, any_row_numbers(rows, count - first)}), rows);
    }
    case 3: {
      auto body = parse_expr(random_.chance(0.5) ? "min($0, $1)" : "max($1, $0)", "test");
      const ValueId first = any_row_numbers(rows, count);
      return note_numbers(add(MapOp{std::make_shared<const Expr>(std::move(*body))},
                              {first, any_row_numbers(rows, count)}),
                          rows);
    }
    default: break;
  }
  if (const auto known = known_numbers(rows, count)) return *known;
  return fact_of_numbers(rows, count);
}

void RandomOps::add_take() {
  const ValueId from = any_value();
  const ValueId index = any_row_numbers(program_.op(from).rows, any_rows());
  add(TakeOp{}, {from, index});
}

void RandomOps::add_sum_equal() {
  const ValueId g = any_value();
  const ValueId index = any_row_numbers(4, program_.op(g).rows);
  add(SumEqualOp{}, {g, index});
}

void RandomOps::add_scatter_sum() {
  const ValueId g = any_value();
  const std::uint32_t rows = random_.between(1, 6);
  const ValueId index = any_row_numbers(rows, program_.op(g).rows);
  add(ScatterSumOp{rows}, {g, index});
}

void RandomOps::add_state_and_update() {
  StateOp state{any_name(), any_rows(), any_shape(), any_number()};
  const std::uint32_t rows = state.rows;
  const Shape shape = state.shape;
  const ValueId target = add(std::move(state), {});
  UpdateOp update;
  if (random_.chance(0.5)) update.rows = any_index(rows);
  const ValueId stored = add_fact(update.rows ? update.rows->size() : rows, shape);
  add(std::move(update), {target, stored});
}

// Rows that may be stored twice are equal.
void RandomOps::add_update_of_row_numbers() {
  StateOp state{any_name(), any_rows(), any_shape(), any_number()};
  const std::uint32_t rows = state.rows;
  const Shape shape = state.shape;
  const ValueId target = add(std::move(state), {});
  const ValueId numbers = any_row_numbers(rows, any_rows());
  const ValueId stored = add(SumEqualOp{}, {add_fact(program_.op(numbers).rows, shape), numbers});
  add(UpdateOp{}, {target, stored, numbers});
}

void RandomOps::add_row_numbers() {
  switch (random_.below(5)) {
    case 0: return add_draw();
    case 1: return add_take();
    case 2: return add_sum_equal();
    case 3: return add_scatter_sum();
  }
  add_update_of_row_numbers();
}

void RandomOps::add_any() {
  switch (random_.below(11)) {
    case 0: return add_fact();
    case 1: return add_weight();
    case 2: return add_concat();
    case 3: return add_gather();
    case 4: return add_linear();
    case 5: return add_segment();
    case 6: return add_transform();
    case 7: return add_map();
    case 8: return add_contract();
    case 9: return add_vjp();
  }
  add_state_and_update();
}

}  // namespace vecc::test
