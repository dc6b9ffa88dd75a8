// Products with matrices that rows share, which run in blocks of rows, from both sides and of all
// sorts of sizes: whole blocks and a few rows more, entries that come in fours and such that do
// not; with and without what stands before and after them. Their gradients are such products, too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kTypes = 3;
constexpr std::uint32_t kColumns = 40;

// Type 0 has some more rows than one block, type 1 a few, type 2 one.
std::vector<std::uint32_t> types_of(std::uint32_t rows) {
  std::vector<std::uint32_t> types(rows, 0);
  for (std::uint32_t r = 0; r < rows; r += 5) types[r] = 1;
  types[rows / 2] = 2;
  return types;
}
std::vector<std::uint32_t> columns_of(std::uint32_t rows) {
  std::vector<std::uint32_t> columns(rows);
  for (std::uint32_t r = 0; r < rows; ++r) columns[r] = r * 7 % kColumns;
  return columns;
}

// Entries of long rows, or columns, are small, as a layer's are: a product's partial sums stay as
// large as those of 64 terms. Of entries up to 1, a sum of 700 in f32 is off by more than outputs
// may differ.
ValueId random_matrices(Program& p, std::uint32_t count, Shape shape, std::uint32_t seed) {
  const double terms = std::max(shape.rows(), shape.cols());
  const double most = std::min(1.0, 8 / std::sqrt(terms));
  return random_fact(p, count, shape, seed, -most, most);
}

// Each row's matrix times its column, and its row times the matrix.
void typed_products(Program& p, Shape shape, std::uint32_t rows) {
  const Index types = Index::compact(types_of(rows));
  const Index columns = Index::compact(columns_of(rows));
  const ValueId w = p.gather(random_matrices(p, kTypes, shape, 1), types);
  const ValueId x = p.gather(random_fact(p, kColumns, Shape::column(shape.cols()), 2), columns);
  const ValueId y = p.gather(random_fact(p, kColumns, Shape::row(shape.rows()), 3), columns);
  p.linear(w, x);
  p.linear(y, w);
}

// One matrix, after a sum and a function, before another function and one more operand.
void one_product(Program& p, Shape shape, std::uint32_t rows) {
  const ValueId w = random_matrices(p, 1, shape, 4);
  const ValueId x = random_fact(p, 2 * rows, Shape::column(shape.cols()), 5);
  const auto sum = p.add(SegmentOp{Segments::fixed(2), Combination::Sum}, {x});
  ASSERT_TRUE(sum);
  TransformOp tanh;
  tanh.transformation.id = Transformation::Tanh;
  const auto before = p.add(tanh, {*sum});
  ASSERT_TRUE(before);
  const ValueId product = p.linear(w, *before, {false, false, {Lift::Kind::Repeat, rows}, {}});
  const auto expr = parse_expr("sum(tanh($0), $1)", "test");
  ASSERT_TRUE(expr);
  p.map(*expr, std::vector{product, random_fact(p, rows, Shape::column(shape.rows()), 6)});
}

void expect_products_agree(Shape shape, DType dtype) {
  Program typed(dtype);
  typed_products(typed, shape, 180);
  expect_gradient_agreement(learn_facts(typed));
  Program one(dtype);
  one_product(one, shape, 70);
  expect_gradient_agreement(learn_facts(one));
}

TEST(SharedProducts, OfAllSizes) {
  for (const Shape shape : {Shape(64, 64), Shape(33, 40), Shape(24, 132)}) {
    SCOPED_TRACE(shape.text());
    expect_products_agree(shape, DType::F32);
  }
}

TEST(SharedProducts, OfDoubles) {
  expect_products_agree(Shape(65, 35), DType::F64);
}

// A matrix and a bias of each row's type, and one of all rows: gradients of biases are sums of the
// rows that those of matrices multiply. More rows than a sum's piece has.
void products_with_biases(Program& p, Shape shape, std::uint32_t rows, const Index& types) {
  const ValueId x = random_fact(p, rows, Shape::column(shape.cols()), 21);
  const ValueId w = p.gather(random_matrices(p, kTypes, shape, 22), types);
  const ValueId bias = random_fact(p, kTypes, Shape::column(shape.rows()), 23);
  const ValueId of_all = random_fact(p, 1, Shape::column(shape.rows()), 24);
  const auto expr = parse_expr("tanh(sum($0, $1))", "test");
  ASSERT_TRUE(expr);
  p.map(*expr, std::vector{p.linear(w, x), p.gather(bias, types)});
  const ValueId v = random_matrices(p, 1, shape, 25);
  const ValueId product = p.linear(v, x, {false, false, {Lift::Kind::Repeat, rows}, {}});
  p.map(*expr, std::vector{product, of_all});
}

TEST(SharedProducts, WithBiases) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    for (const std::uint32_t rows : {60u, 1500u}) {
      for (const Index& types :
           {Index::compact(types_of(rows)), Index::repeat(kTypes, rows / kTypes),
            Index::interleave(kTypes, rows / kTypes)}) {
        Program program(dtype);
        products_with_biases(program, Shape(20, 24), rows, types);
        expect_gradient_agreement(learn_facts(program));
      }
    }
  }
}

// So large that several blocks share the matrix, and its gradient, on a GPU: whole tiles of it, and
// a little more; entries that come in fours or not; long and narrow ones.
TEST(SharedProducts, OfLargeMatrices) {
  for (const Shape shape : {Shape(130, 141), Shape(132, 260), Shape(20, 700), Shape(1100, 18)}) {
    SCOPED_TRACE(shape.text());
    expect_products_agree(shape, DType::F32);
  }
}

TEST(SharedProducts, OfLargeMatricesOfDoubles) {
  expect_products_agree(Shape(150, 132), DType::F64);
}

// A product of matrices whose entries several blocks of a GPU share: with one matrix for all rows
// and with one a row, each side transposed or not, of a sum, and before a function and a sum.
void products_of_matrices(Program& p, std::uint32_t rows) {
  const ValueId one = random_matrices(p, 1, Shape(40, 33), 11);
  const ValueId x = random_fact(p, rows, Shape(33, 30), 12);
  const ValueId turned = random_fact(p, rows, Shape(30, 33), 13);
  const ValueId many = random_fact(p, 3 * rows, Shape(33, 40), 14);
  const ValueId sum = p.segment(many, Segments::fixed(3), Combination::Sum);
  const Lift repeat{Lift::Kind::Repeat, rows};
  const ValueId first = p.linear(one, x, {false, false, repeat, {}});
  const ValueId second = p.linear(sum, turned, {true, true, {}, {}});
  p.map(*parse_expr("sum(tanh($0), $1)", "test"), std::vector{first, second});
  p.linear(x, sum, {true, false, {}, {}});
}

TEST(SharedProducts, OfTwoMatrices) {
  for (const std::uint32_t rows : {1u, 7u}) {
    for (const DType dtype : {DType::F32, DType::F64}) {
      SCOPED_TRACE(fmt::format("{} rows, {}", rows, text_of(dtype)));
      Program program(dtype);
      products_of_matrices(program, rows);
      expect_gradient_agreement(learn_facts(program));
    }
  }
}

// So many that a block has as many as it can have: from memory to memory, and between functions.
TEST(SharedProducts, OfManyRows) {
  constexpr std::uint32_t kRows = 17'000;
  Program program(DType::F32);
  const Lift repeat{Lift::Kind::Repeat, kRows};
  const Index columns = Index::compact(columns_of(kRows));
  const ValueId w = random_fact(program, 1, Shape(34, 20), 8);
  const ValueId v = random_fact(program, 1, Shape(20, 36), 9);
  const ValueId x = program.gather(random_fact(program, kColumns, Shape::column(20), 10), columns);
  const ValueId first = program.linear(w, x, {false, false, repeat, {}});
  const ValueId second = program.linear(v, x, {true, false, repeat, {}});
  const ValueId tanh = program.map(*parse_expr("tanh($0)", "test"), std::vector{x});
  const ValueId third = program.linear(w, tanh, {false, false, repeat, {}});
  const ValueId last = program.map(*parse_expr("tanh($0)", "test"), std::vector{third});
  program.set_sample_count(3 * kRows);
  std::uint32_t sample = 0;
  for (const ValueId value : {first, second, last}) {
    program.output(value, Index::slice(sample, kRows));
    sample += kRows;
  }
  expect_outputs_agree(program);
}

// Rows that begin where four numbers may not: they are parts of what begins there.
TEST(SharedProducts, OfRowsThatBeginAnywhere) {
  auto program = parse_program(R"(vecc program 1 f32 samples 2103
parameter "first" [3, 1] = {2, 3, 4}
parameter "rest" [2000, 1] = @0:2000
parameter "w" [1, 20x20] = @16000:400
%0 = weight "first" : f32[3, 1]
%1 = weight "rest" : f32[2000, 1]
%2 = transform %0 tanh : f32[3, 1]
%3 = transform %1 tanh : f32[2000, 1]
%4 = concat %2, %3 : f32[2003, 1]
%5 = segment %3 [fixed 20 dim 2] concat : f32[100, 20x1]
%6 = weight "w" : f32[1, 20x20]
%7 = linear %6 lift(repeat 100), %5 : f32[100, 20x1]
%8 = output %7 [0:100] : f32[100, 20x1]
%9 = output %4 [100:2103] : f32[2003, 1])",
                               "test", [] {
                                 const std::vector<double> all = random_values(2400, 7);
                                 return std::string(reinterpret_cast<const char*>(all.data()),
                                                    all.size() * sizeof(double));
                               }());
  ASSERT_TRUE(program) << program.error().text();
  expect_gradient_agreement(*program);
}

}  // namespace
}  // namespace vecc::test
