// Products by tensor cores: as far from the interpreter's as their format's rounding explains and
// no farther, and not exact; narrow ones exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "backends/cuda/cuda_backend.h"
#include "backends/reference/program_interpreter.h"
#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"
#include "tests/cuda/compiled_only.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kTypes = 3;
constexpr std::uint32_t kColumns = 40;
constexpr MatmulPrecision kRounded[] = {MatmulPrecision::Tf32, MatmulPrecision::Bf16};
constexpr MatmulPrecision kUnits[] = {MatmulPrecision::Tf32x3, MatmulPrecision::Tf32,
                                      MatmulPrecision::Bf16};

bool has_gpu() {
  static const bool has = static_cast<bool>(cuda_backend().available({Device::Kind::Cuda, 0}));
  return has;
}

// Of |a b| summed over a product's terms. Both operands are rounded to the nearest: by half of the
// last of 10 or 7 bits behind the leading one. Units may cut off what they add up, and drop what is
// below the last bits of the largest term.
double error_bound(MatmulPrecision precision) {
  constexpr double kSums = 0x1p-14;
  constexpr double kSplitSums = 0x1p-18;  // of 16 terms each, and f32's
  switch (precision) {
    case MatmulPrecision::Exact: return 1e-5;
    // What both parts leave of a number is 2^-21 of it, and products of both rests 2^-22.
    case MatmulPrecision::Tf32x3: return 2 * 0x1p-21 + 0x1p-22 + kSplitSums;
    case MatmulPrecision::Tf32: return 2 * 0x1p-11 + 0x1p-22 + kSums;
    case MatmulPrecision::Bf16: return 2 * 0x1p-8 + 0x1p-16 + kSums;
  }
  return 0;
}

struct Results {
  std::vector<double> outputs;                 // of all samples
  std::vector<std::vector<double>> gradients;  // by parameter; none: not asked for
};

Results run(const Backend& backend, ExecutionOptions options, const Program& program,
            const std::vector<double>& output_gradients) {
  options.gradients = !output_gradients.empty();
  Results results;
  const auto made = backend.compile(program, options);
  EXPECT_TRUE(made) << made.error().text();
  if (!made) return results;
  Executable& executable = **made;
  const auto done = executable.run();
  EXPECT_TRUE(done) << done.error().text();
  const auto outputs = executable.outputs();
  EXPECT_TRUE(outputs) << outputs.error().text();
  for (const auto& output : *outputs) {
    results.outputs.insert(results.outputs.end(), output.value.begin(), output.value.end());
  }
  if (!options.gradients) return results;
  EXPECT_TRUE(executable.differentiate(output_gradients));
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    results.gradients.push_back(*executable.gradient(p));
  }
  return results;
}

Results run_on_gpu(const Program& program, MatmulPrecision precision,
                   const std::vector<double>& output_gradients) {
  ExecutionOptions options;
  options.precision = precision;
  if (!has_gpu()) return run(compiled_only_backend(), options, program, output_gradients);
  options.device = {Device::Kind::Cuda, 0};
  return run(cuda_backend(), options, program, output_gradients);
}

std::vector<double> magnitudes(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

// `all` is what a sum of magnitudes makes of the same: no entry is farther than its part of that.
void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 const std::vector<double>& all, double bound) {
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_EQ(found.size(), all.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], bound * all[i] + 1e-6) << "entry " << i;
  }
}
void expect_near(const Results& found, const Results& expected, const Results& all, double bound) {
  expect_near(found.outputs, expected.outputs, all.outputs, bound);
  ASSERT_EQ(found.gradients.size(), expected.gradients.size());
  for (std::size_t p = 0; p < found.gradients.size(); ++p) {
    SCOPED_TRACE("parameter " + std::to_string(p));
    expect_near(found.gradients[p], expected.gradients[p], all.gradients[p], bound);
  }
}

bool equal_bits(const Results& first, const Results& second) {
  return test::equal_bits(first.outputs, second.outputs) &&
         std::ranges::equal(first.gradients, second.gradients,
                            [](const auto& a, const auto& b) { return test::equal_bits(a, b); });
}

// Builds Programs, of values or of their magnitudes.
struct Source {
  bool positive = false;
  ValueId fact(Program& p, std::uint32_t rows, Shape shape, std::uint32_t seed) const {
    const std::vector<double> values = random_values(rows * shape.size(), seed);
    return p.fact(positive ? magnitudes(values) : values, rows, shape);
  }
};

Index types_of(std::uint32_t rows) {
  std::vector<std::uint32_t> types(rows, 0);
  for (std::uint32_t r = 0; r < rows; r += 5) types[r] = 1;
  types[rows / 2] = 2;
  return Index::compact(std::move(types));
}
Index columns_of(std::uint32_t rows) {
  std::vector<std::uint32_t> columns(rows);
  for (std::uint32_t r = 0; r < rows; ++r) columns[r] = r * 7 % kColumns;
  return Index::compact(std::move(columns));
}

// Each row's matrix, of its type, times its column, and its row times the matrix.
void typed_products(Program& p, const Source& from, Shape shape, std::uint32_t rows) {
  const ValueId w = p.gather(from.fact(p, kTypes, shape, 1), types_of(rows));
  const Index columns = columns_of(rows);
  const ValueId x = p.gather(from.fact(p, kColumns, Shape::column(shape.cols()), 2), columns);
  const ValueId y = p.gather(from.fact(p, kColumns, Shape::row(shape.rows()), 3), columns);
  p.linear(w, x);
  p.linear(y, w);
}

// One matrix times sums of two, and what is added to its products.
void one_product(Program& p, const Source& from, Shape shape, std::uint32_t rows) {
  const ValueId w = from.fact(p, 1, shape, 4);
  const ValueId x = from.fact(p, 2 * rows, Shape::column(shape.cols()), 5);
  const auto sum = p.add(SegmentOp{Segments::fixed(2), Combination::Sum}, {x});
  ASSERT_TRUE(sum);
  const ValueId product = p.linear(w, *sum, {false, false, {Lift::Kind::Repeat, rows}, {}});
  const auto expr = parse_expr("sum($0, $1)", "test");
  ASSERT_TRUE(expr);
  p.map(*expr, std::vector{product, from.fact(p, rows, Shape::column(shape.rows()), 6)});
}

Program make_program(const Source& from, Shape shape) {
  Program program(DType::F32);
  typed_products(program, from, shape, 150);
  one_product(program, from, shape, 45);
  return learn_facts(program);
}

std::vector<double> output_gradients_of(const Program& program) {
  std::size_t count = 0;
  for (const Op& op : program.ops()) count += op.kind() == OpKind::Output ? op.size() : 0;
  return random_values(count, 99);
}

// Outputs and gradients, of rows, matrices and sums of outer products, are as far from the
// interpreter's as each precision explains. Then calls check(of one of `units`, exact, run_again).
template <class Check>
void compare_precisions(Shape shape, std::span<const MatmulPrecision> units, const Check& check) {
  SCOPED_TRACE(shape.text());
  const Program program = make_program({}, shape);
  const std::vector<double> seeds = output_gradients_of(program);
  const Results expected = run(reference::interpreter_backend(), {}, program, seeds);
  const Results all =
      run(reference::interpreter_backend(), {}, make_program({true}, shape), magnitudes(seeds));
  const Results exact = run_on_gpu(program, MatmulPrecision::Exact, seeds);
  expect_near(exact, expected, all, error_bound(MatmulPrecision::Exact));
  for (const MatmulPrecision precision : units) {
    SCOPED_TRACE(text_of(precision));
    const Results found = run_on_gpu(program, precision, seeds);
    expect_near(found, expected, all, error_bound(precision));
    check(found, exact, [&] { return run_on_gpu(program, precision, seeds); });
  }
}

TEST(MatmulPrecision, AsFarAsItsRounding) {
  for (const Shape shape : {Shape(64, 64), Shape(36, 50)}) {
    const auto check = [](const Results& found, const Results& exact, const auto& again) {
      if (!has_gpu()) return;
      EXPECT_FALSE(test::equal_bits(found.outputs, exact.outputs));
      // Only gradients of what is added are no products.
      std::size_t same = 0;
      for (std::size_t p = 0; p < found.gradients.size(); ++p) {
        same += test::equal_bits(found.gradients[p], exact.gradients[p]);
      }
      EXPECT_EQ(same, 1u);
      EXPECT_TRUE(equal_bits(found, again()));
    };
    compare_precisions(shape, kRounded, check);
  }
}

// Matrices that several blocks share, and sums of outer products that are such: whole pieces of
// terms or not, in fours or one by one.
TEST(MatmulPrecision, OfLargeMatrices) {
  for (const Shape shape : {Shape(260, 160), Shape(132, 236), Shape(151, 131)}) {
    const auto check = [](const Results& found, const Results& exact, const auto& again) {
      EXPECT_NE(test::equal_bits(found.outputs, exact.outputs), has_gpu());
      EXPECT_TRUE(equal_bits(found, again()));
    };
    compare_precisions(shape, kUnits, check);
  }
}

// Forward, of rows that fill blocks and tiles, and such that do not.
TEST(MatmulPrecision, OfManyShapes) {
  struct Case {
    Shape shape;
    std::uint32_t rows;
  };
  for (const auto& [shape, rows] : {Case{Shape(32, 32), 16}, Case{Shape(33, 130), 9},
                                    Case{Shape(100, 47), 70}, Case{Shape(72, 64), 130}}) {
    SCOPED_TRACE(shape.text() + ", " + std::to_string(rows) + " rows");
    const auto make = [shape = shape, rows = rows](const Source& from) {
      Program program(DType::F32);
      typed_products(program, from, shape, rows);
      one_product(program, from, shape, rows);
      return learn_facts(program);
    };
    const Program program = make({});
    const Results expected = run(reference::interpreter_backend(), {}, program, {});
    const Results all = run(reference::interpreter_backend(), {}, make({true}), {});
    for (const MatmulPrecision precision : kUnits) {
      SCOPED_TRACE(text_of(precision));
      expect_near(run_on_gpu(program, precision, {}), expected, all, error_bound(precision));
    }
  }
}

// So many rows that blocks have as many as they can have.
TEST(MatmulPrecision, OfManyRows) {
  constexpr std::uint32_t kRows = 17'000;
  const auto make = [](const Source& from) {
    Program program(DType::F32);
    const ValueId w = from.fact(program, 1, Shape(34, 32), 8);
    const ValueId x =
        program.gather(from.fact(program, kColumns, Shape::column(32), 9), columns_of(kRows));
    const ValueId y = program.linear(w, x, {false, false, {Lift::Kind::Repeat, kRows}, {}});
    program.set_sample_count(kRows);
    program.output(y, Index::slice(0, kRows));
    return program;
  };
  const Results expected = run(reference::interpreter_backend(), {}, make({}), {});
  const Results all = run(reference::interpreter_backend(), {}, make({true}), {});
  const Results found = run_on_gpu(make({}), MatmulPrecision::Tf32, {});
  expect_near(found, expected, all, error_bound(MatmulPrecision::Tf32));
}

// Functions before and after the product: tanh makes no difference larger.
TEST(MatmulPrecision, BetweenFunctions) {
  constexpr std::uint32_t kRows = 70;
  const Shape shape(50, 64);
  Program program(DType::F32);
  const ValueId w = Source{}.fact(program, 1, shape, 4);
  const ValueId x = Source{}.fact(program, 2 * kRows, Shape::column(shape.cols()), 5);
  const auto sum = program.add(SegmentOp{Segments::fixed(2), Combination::Sum}, {x});
  ASSERT_TRUE(sum);
  const ValueId before = program.map(*parse_expr("tanh($0)", "test"), std::vector{*sum});
  const ValueId product =
      program.linear(w, before, {false, false, {Lift::Kind::Repeat, kRows}, {}});
  const ValueId last = program.map(*parse_expr("tanh($0)", "test"), std::vector{product});
  program.set_sample_count(kRows);
  program.output(last, Index::slice(0, kRows));
  const Results expected = run(reference::interpreter_backend(), {}, program, {});
  // tanh of a sum of two numbers below 1 is below 1: at most the sum of a row's magnitudes.
  const std::vector<double> weights = random_values(shape.size(), 4);
  for (const MatmulPrecision precision : kUnits) {
    SCOPED_TRACE(text_of(precision));
    const Results found = run_on_gpu(program, precision, {});
    ASSERT_EQ(found.outputs.size(), expected.outputs.size());
    for (std::size_t i = 0; i < found.outputs.size(); ++i) {
      double all = 0;
      for (std::uint32_t k = 0; k < shape.cols(); ++k) {
        all += std::abs(weights[i % shape.rows() * shape.cols() + k]);
      }
      ASSERT_NEAR(found.outputs[i], expected.outputs[i], error_bound(precision) * all + 1e-6);
    }
  }
}

void expect_exact(Shape shape, MatmulPrecision precision) {
  SCOPED_TRACE(shape.text());
  Program products(DType::F32);
  typed_products(products, {}, shape, 90);
  const Program program = learn_facts(products);
  const std::vector<double> seeds = output_gradients_of(program);
  const Results exact = run_on_gpu(program, MatmulPrecision::Exact, seeds);
  EXPECT_TRUE(equal_bits(run_on_gpu(program, precision, seeds), exact));
}

// A matrix of fewer than 32 rows or columns is multiplied as ever, in the same kernels; in two
// parts none that a block has alone.
TEST(MatmulPrecision, NarrowProductsAreExact) {
  for (const Shape shape : {Shape(31, 64), Shape(64, 31)}) {
    expect_exact(shape, MatmulPrecision::Bf16);
  }
  expect_exact(Shape(64, 64), MatmulPrecision::Tf32x3);
}

// Products of one matrix with those columns.
std::vector<double> products_with(const std::vector<double>& columns, std::uint32_t side,
                                  MatmulPrecision precision) {
  const auto rows = static_cast<std::uint32_t>(columns.size() / side);
  Program program(DType::F32);
  const ValueId w = random_fact(program, 1, Shape(side, side), 4, 0.5, 1);
  const ValueId x = program.fact(columns, rows, Shape::column(side));
  const ValueId y = program.linear(w, x, {false, false, {Lift::Kind::Repeat, rows}, {}});
  program.set_sample_count(rows);
  program.output(y, Index::slice(0, rows));
  return run_on_gpu(program, precision, {}).outputs;
}

// What is infinite, or no number, stays in its row and column, and changes no bit of others.
void expect_in_place(std::uint32_t side, std::uint32_t rows, MatmulPrecision precision) {
  std::vector<double> columns = random_values(rows * side, 5);
  const std::vector<double> usual = products_with(columns, side, precision);
  columns[3 * side + 7] = std::numeric_limits<double>::infinity();
  columns[19 * side + side - 1] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> found = products_with(columns, side, precision);
  ASSERT_EQ(found.size(), rows * side);
  ASSERT_EQ(usual.size(), rows * side);
  for (std::uint32_t i = 0; i < rows * side; ++i) {
    const std::uint32_t row = i / side;
    EXPECT_EQ(std::isinf(found[i]), row == 3) << row;
    EXPECT_EQ(std::isnan(found[i]), row == 19) << row;
    const bool is_usual = row != 3 && row != 19;
    EXPECT_TRUE(!is_usual || found[i] == usual[i]) << row;
  }
}

TEST(MatmulPrecision, SpecialValuesStayWhereTheyAre) {
  if (!has_gpu()) GTEST_SKIP() << "needs a GPU";
  for (const MatmulPrecision precision : kUnits) {
    SCOPED_TRACE(text_of(precision));
    expect_in_place(40, 20, precision);
    expect_in_place(140, 40, precision);
  }
  expect_in_place(140, 40, MatmulPrecision::Exact);
}

// The sum of all rows' outer products, of which one has an infinite entry, and one none that is a
// number.
TEST(MatmulPrecision, SpecialValuesOfALargeSum) {
  if (!has_gpu()) GTEST_SKIP() << "needs a GPU";
  constexpr std::uint32_t kRows = 40;
  constexpr std::uint32_t kSide = 140;
  Program program(DType::F32);
  const ValueId w = random_fact(program, 1, Shape(kSide, kSide), 4, 0.5, 1);
  const ValueId x = random_fact(program, kRows, Shape::column(kSide), 5, 0.5, 1);
  program.output(program.linear(w, x, {false, false, {Lift::Kind::Repeat, kRows}, {}}),
                 Index::slice(0, kRows));
  program.set_sample_count(kRows);
  std::vector<double> seeds(kRows * kSide, 1.0);
  seeds[3 * kSide + 7] = std::numeric_limits<double>::infinity();
  seeds[19 * kSide + 9] = std::numeric_limits<double>::quiet_NaN();
  for (const MatmulPrecision precision :
       {MatmulPrecision::Exact, MatmulPrecision::Tf32x3, kRounded[0], kRounded[1]}) {
    SCOPED_TRACE(text_of(precision));
    const Results found = run_on_gpu(learn_facts(program), precision, seeds);
    const std::vector<double>& sum = found.gradients[0];
    ASSERT_EQ(sum.size(), kSide * kSide);
    for (std::uint32_t i = 0; i < sum.size(); ++i) {
      EXPECT_EQ(std::isinf(sum[i]), i / kSide == 7) << i;
      EXPECT_EQ(std::isnan(sum[i]), i / kSide == 9) << i;
    }
  }
}

TEST(MatmulPrecision, OthersRefuseIt) {
  const Program program = make_program({}, Shape(32, 32));
  ExecutionOptions options;
  options.precision = MatmulPrecision::Tf32;
  const auto interpreted = reference::interpreter_backend().compile(program, options);
  ASSERT_FALSE(interpreted);
  EXPECT_NE(interpreted.error().text().find("only the cuda backend"), std::string::npos);
  if (!has_gpu()) return;
  Program doubles(DType::F64);
  typed_products(doubles, {}, Shape(32, 32), 10);
  options.device = {Device::Kind::Cuda, 0};
  const auto wide = cuda_backend().compile(learn_facts(doubles), options);
  ASSERT_FALSE(wide);
  EXPECT_NE(wide.error().text().find("--matmul-precision=tf32 is of f32, found f64"),
            std::string::npos)
      << wide.error().text();
}

}  // namespace
}  // namespace vecc::test
