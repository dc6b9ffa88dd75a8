// Messages along edges: what goes back to their senders is computed by the sums that read it, from
// rows that are stored anyway, and slices of a row get parts of one gradient.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kNodes = 23;
constexpr std::uint32_t kEdges = 90;

ValueId learnable(Program& program, const std::string& name, std::uint32_t rows, Shape shape,
                  std::vector<double> values) {
  auto shared = SharedNumbers::of(std::move(values));
  return program.weight(*program.add_parameter({name, rows, shape, std::move(shared)}));
}

ValueId learnable(Program& program, const std::string& name, std::uint32_t rows, Shape shape,
                  std::uint32_t seed) {
  return learnable(program, name, rows, shape, random_values(rows * shape.size(), seed));
}

// Edges begin anywhere; node n has n % 5 that end there, and the last one all others.
std::vector<std::uint32_t> senders() {
  std::vector<std::uint32_t> nodes(kEdges);
  for (std::uint32_t e = 0; e < kEdges; ++e) nodes[e] = e * 7 % kNodes;
  return nodes;
}
std::vector<std::uint32_t> targets() {
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t n = 0; n < kNodes; ++n) offsets.push_back(offsets.back() + n % 5);
  offsets.back() = kEdges;
  return offsets;
}

void output(Program& program, ValueId value) {
  const std::uint32_t rows = program.op(value).rows;
  program.set_sample_count(rows);
  program.output(value, Index::slice(0, rows));
}

// The sum of `heads` numbers of each edge, repeated `width` times, times its sender's row, which a
// function of some nodes reads, too.
Program attention(DType dtype, std::uint32_t heads, std::uint32_t width, double largest) {
  Program program(dtype);
  const Shape row(heads, width);
  std::vector<double> rows = random_values(kNodes * row.size(), 1);
  rows[5] = largest;
  const ValueId x = learnable(program, "x", kNodes, row, std::move(rows));
  const ValueId alpha = learnable(program, "alpha", kEdges, Shape::column(heads), 2);
  const ValueId ones = program.fact(std::vector<double>(width, 1), 1, Shape::row(width));
  LinearOp repeat;
  repeat.lift_right = {Lift::Kind::Repeat, kEdges};
  const ValueId tanh = program.map(*parse_expr("tanh($0)", "test"), std::vector{alpha});
  const ValueId repeated = program.linear(tanh, ones, repeat);
  const ValueId sent = program.gather(x, Index::list(senders()));
  const ValueId message =
      program.map(*parse_expr("elproduct($0, $1)", "test"), std::vector{repeated, sent});
  const ValueId sum = program.segment(message, Segments::ragged(targets()), Combination::Sum);
  const ValueId some = program.gather(x, Index::slice(2, kNodes - 2));
  const ValueId more = program.map(*parse_expr("tanh($0)", "test"), std::vector{some});
  std::vector<std::uint32_t> others(kNodes);
  for (std::uint32_t n = 0; n < kNodes; ++n) others[n] = n * 3 % (kNodes - 2);
  const ValueId rest = program.gather(more, Index::list(std::move(others)));
  output(program,
         program.map(*parse_expr("elproduct(relu($0), $1)", "test"), std::vector{sum, rest}));
  return program;
}

TEST(Messages, AreSummedWhereTheyGoBack) {
  for (const auto& [heads, width] : {std::pair{4u, 16u}, {1u, 8u}, {3u, 5u}, {2u, 1u}}) {
    SCOPED_TRACE(std::to_string(heads) + " x " + std::to_string(width));
    expect_gradient_agreement(attention(DType::F32, heads, width, 0.5));
  }
  expect_gradient_agreement(attention(DType::F64, 4, 8, 0.5));
}

// A gradient of zeros is zero, whatever it would be multiplied with.
TEST(Messages, OfInfiniteRows) {
  expect_gradient_agreement(attention(DType::F64, 2, 8, -std::numeric_limits<double>::infinity()));
}

// Heads of a row by slices of it: all of the row, and two that overlap.
TEST(Messages, OfSlicesOfARow) {
  for (const std::uint32_t begin : {8u, 5u}) {
    SCOPED_TRACE(begin);
    Program program(DType::F32);
    const ValueId x = learnable(program, "x", kNodes, Shape::column(24), 3);
    const ValueId y = program.map(*parse_expr("tanh($0)", "test"), std::vector{x});
    const auto slice = [&](std::uint32_t from, std::uint32_t to) {
      return program.transform(y, {.id = Transformation::Slice, .target = {}}, {from, to, 0, 1});
    };
    const ValueId first = slice(0, 8);
    const ValueId last = slice(begin, 24);
    const ValueId scale = learnable(program, "scale", 1, Shape::column(24 - begin), 4);
    const ValueId scaled =
        program.map(*parse_expr("elproduct(exp($0), $1)", "test"), std::vector{last, scale});
    output(program, program.map(*parse_expr("concat($0, $1)", "test"), std::vector{scaled, first}));
    expect_gradient_agreement(program);
  }
}

}  // namespace
}  // namespace vecc::test
