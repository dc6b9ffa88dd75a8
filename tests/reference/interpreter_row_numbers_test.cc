// Draws, gathers by value, sums of equal indices and updates by value.
#include <cmath>
#include <limits>

#include "src/function/counter_draws.h"
#include "tests/reference/interpreter_check.h"

namespace vecc::test {
namespace {

ValueId scalars(Program& p, std::vector<double> values) {
  const auto rows = static_cast<std::uint32_t>(values.size());
  return p.fact(std::move(values), rows, Shape());
}

ValueId table(Program& p) {
  return p.fact({1, 2, 3, 4, 5, 6}, 3, Shape::column(2));
}

// The error of a run.
std::string error_of_run(const Program& p) {
  const auto executable = compile_or_throw(p);
  const auto done = executable->run();
  return done ? "" : done.error().text();
}

TEST(InterpreterRowNumbers, DrawsAreThoseOfTheirKeyAndStep) {
  Program p(DType::F64);
  const ValueId step = add(p, StateOp{"step", 1, Shape(), 3}, {});
  const ValueId draw = add(p, DrawOp{50, 4294967295, 0x123456789ABCDEF, 7}, {step});
  const ValueId again = add(p, DrawOp{50, 4294967295, 0x123456789ABCDEF, 7}, {step});
  const ValueId few = add(p, DrawOp{50, 3, 0x123456789ABCDEF, 7}, {step});
  const ValueId operands[] = {step};
  const ValueId next = p.map(parse_expr("sum($0, 1)", "").value(), operands);
  add(p, UpdateOp{}, {step, next});
  const auto executable = compile_or_throw(p);
  for (const std::uint64_t at : {3u, 4u, 5u}) {
    ASSERT_TRUE(executable->run());
    const auto found = executable->read(draw).value();
    const auto below_3 = executable->read(few).value();
    EXPECT_EQ(executable->read(again).value(), found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const DrawBits bits = draw_bits(0x123456789ABCDEF, 7, at, i);
      EXPECT_EQ(found[i], draw_below(bits, 4294967295)) << i;
      EXPECT_EQ(below_3[i], draw_below(bits, 3)) << i;
    }
  }
}

TEST(InterpreterRowNumbers, TakeReadsTheRowsThatItsNumbersName) {
  Program p;
  const ValueId numbers = scalars(p, {2, 0, 2, -0.0});
  EXPECT_THAT(run_value(p, add(p, TakeOp{}, {table(p), numbers})),
              are_near({5, 6, 1, 2, 5, 6, 1, 2}));
  // Of a gather, which is read through, by a part of a concat.
  const ValueId reversed = p.gather(table(p), Index::list({2, 1, 0}));
  const ValueId both[] = {numbers, scalars(p, {1})};
  const ValueId joined = p.gather(p.concat(both), Index::list({4, 0}));
  EXPECT_THAT(run_value(p, add(p, TakeOp{}, {reversed, joined})), are_near({3, 4, 1, 2}));
}

TEST(InterpreterRowNumbers, EqualNumbersAreSummed) {
  Program p;
  const ValueId g = p.fact({1, 2, 3, 4, 5, 6, 7, 8}, 4, Shape::column(2));
  const ValueId numbers = scalars(p, {4, 1, 4, 0});
  EXPECT_THAT(run_value(p, add(p, SumEqualOp{}, {g, numbers})), are_near({6, 8, 3, 4, 6, 8, 7, 8}));
  EXPECT_THAT(run_value(p, add(p, ScatterSumOp{6}, {g, numbers})),
              are_near({7, 8, 3, 4, 0, 0, 0, 0, 6, 8, 0, 0}));
}

// In the order of the rows: 1e16 + 1 - 1e16 is 0, and 1e16 - 1e16 + 1 is 1.
TEST(InterpreterRowNumbers, SumsAreInTheOrderOfRows) {
  Program p(DType::F64);
  const ValueId numbers = scalars(p, {5, 3, 5, 3, 5, 3});
  const ValueId g = scalars(p, {1e16, 1e16, 1, -1e16, -1e16, 1});
  EXPECT_EQ(run_value(p, add(p, SumEqualOp{}, {g, numbers})),
            (std::vector<double>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(run_value(p, add(p, ScatterSumOp{6}, {g, numbers})),
            (std::vector<double>{0, 0, 0, 1, 0, 0}));
}

TEST(InterpreterRowNumbers, NoNumbersAreNoRows) {
  Program p;
  const ValueId none = p.fact({}, 0, Shape());
  const ValueId no_rows = p.fact({}, 0, Shape::column(2));
  EXPECT_TRUE(run_value(p, add(p, TakeOp{}, {table(p), none})).empty());
  EXPECT_TRUE(run_value(p, add(p, SumEqualOp{}, {no_rows, none})).empty());
  EXPECT_THAT(run_value(p, add(p, ScatterSumOp{1}, {no_rows, none})), are_near({0, 0}));
}

TEST(InterpreterRowNumbers, bad_numbers_end_the_run) {
  const auto expect_error = [](double number, const std::string& found) {
    Program p;
    add(p, TakeOp{}, {table(p), scalars(p, {0, number})});
    EXPECT_EQ(error_of_run(p), "interpreter: %2 take, row 1: error: found the row number " + found +
                                   " (%1), expected a row of 0 to 2 [E071]");
  };
  expect_error(3, "3");
  expect_error(-1, "-1");
  expect_error(0.5, "0.5");
  expect_error(std::numeric_limits<double>::quiet_NaN(), "NaN");
  expect_error(std::numeric_limits<double>::infinity(), "Infinity");
  Program sums;
  add(sums, SumEqualOp{}, {table(sums), scalars(sums, {0, 1e10, 2})});
  EXPECT_EQ(error_of_run(sums),
            "interpreter: %2 sum_equal, row 1: error: found the row number 1e+10 (%1), "
            "expected a row of 0 to 16777215 [E071]");
  // Of two numbers that f32 does not tell apart a backend that stores f32 would make one sum.
  const auto error_of_sum = [](DType dtype, double number) {
    Program p(dtype);
    add(p, SumEqualOp{}, {scalars(p, {1}), scalars(p, {number})});
    return error_of_run(p);
  };
  EXPECT_EQ(error_of_sum(DType::F32, 16777215), "");
  EXPECT_NE(error_of_sum(DType::F32, 16777216), "");
  EXPECT_EQ(error_of_sum(DType::F64, 4294967294), "");
  EXPECT_NE(error_of_sum(DType::F64, 4294967295), "");
  Program scattered;
  add(scattered, ScatterSumOp{0}, {table(scattered), scalars(scattered, {0, 0, 0})});
  EXPECT_EQ(
      error_of_run(scattered),
      "interpreter: %2 scatter_sum, row 0: error: found the row number 0 (%1), expected none: "
      "there is no row [E071]");
}

TEST(InterpreterRowNumbers, bad_steps_end_the_run) {
  const auto error_of_step = [](DType dtype, double step) {
    Program p(dtype);
    add(p, DrawOp{1, 1, 0, 0}, {scalars(p, {step})});
    return error_of_run(p);
  };
  EXPECT_EQ(error_of_step(DType::F64, 16777216), "");
  EXPECT_EQ(error_of_step(DType::F32, 16777215), "");
  EXPECT_EQ(error_of_step(DType::F32, 16777216),
            "interpreter: %1 draw: error: found the step 16777216 (%0), expected a whole number of "
            "0 to 16777215 [E071]");
  EXPECT_EQ(error_of_step(DType::F64, 1.5),
            "interpreter: %1 draw: error: found the step 1.5 (%0), expected a whole number of 0 to "
            "9007199254740991 [E071]");
  EXPECT_NE(error_of_step(DType::F64, -1), "");
}

TEST(InterpreterRowNumbers, AnUpdateStoresTheRowsThatItsNumbersName) {
  Program p;
  const ValueId state = add(p, StateOp{"s", 4, Shape::column(2), 9}, {});
  const ValueId numbers = scalars(p, {3, 1, 3});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ValueId rows = p.fact({1, nan, 3, 4, 1, nan}, 3, Shape::column(2));
  add(p, UpdateOp{}, {state, rows, numbers});
  ExecutionOptions options;  // row numbers are kept to the end, whatever else is released
  const auto executable = find_backend("interpreter")->compile(p, options).value();
  ASSERT_TRUE(executable->run());
  const auto stored = executable->state("s").value();
  EXPECT_EQ(std::vector<double>(stored.begin(), stored.begin() + 7),
            (std::vector<double>{9, 9, 3, 4, 9, 9, 1}));
  EXPECT_TRUE(std::isnan(stored[7]));
}

TEST(InterpreterRowNumbers, NumbersThatAreComputedAreThereWhenRowsAreStored) {
  Program p;
  const ValueId state = add(p, StateOp{"s", 3, Shape(), 0}, {});
  const ValueId one[] = {scalars(p, {1, 0})};
  const ValueId numbers = p.map(parse_expr("sum($0, 1)", "").value(), one);
  add(p, UpdateOp{}, {state, scalars(p, {5, 6}), numbers});
  const auto executable = find_backend("interpreter")->compile(p, ExecutionOptions{}).value();
  ASSERT_TRUE(executable->run());
  EXPECT_EQ(executable->state("s").value(), (std::vector<double>{0, 6, 5}));
}

// Also what another update would have stored.
TEST(InterpreterRowNumbers, bad_different_rows_of_one_number_store_nothing) {
  Program p;
  const ValueId first = add(p, StateOp{"first", 1, Shape(), 0}, {});
  const ValueId state = add(p, StateOp{"s", 4, Shape(), 0}, {});
  const ValueId numbers = scalars(p, {3, 1, 3});
  add(p, UpdateOp{}, {first, scalars(p, {1})});
  add(p, UpdateOp{}, {state, scalars(p, {1, 2, 3}), numbers});
  const auto executable = compile_or_throw(p);
  const auto done = executable->run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().text(),
            "interpreter: %6 update, element 0: error: found 1 in row 0 and 3 in row 2, which are "
            "both stored in row 3, expected equal bits [E072]");
  EXPECT_EQ(executable->state("s").value(), std::vector<double>(4, 0));
  EXPECT_EQ(executable->state("first").value(), std::vector<double>{0});
}

// Which of both a backend would store is not said, and 1 / 0 is not 1 / -0.
TEST(InterpreterRowNumbers, bad_zeros_of_two_signs_are_different_rows) {
  Program p;
  const ValueId state = add(p, StateOp{"s", 2, Shape::column(2), 0}, {});
  const ValueId rows = p.fact({7, 0, 7, -0.0}, 2, Shape::column(2));
  add(p, UpdateOp{}, {state, rows, scalars(p, {1, 1})});
  EXPECT_EQ(error_of_run(p),
            "interpreter: %3 update, element 1: error: found 0 in row 0 and -0 in row 1, which are "
            "both stored in row 1, expected equal bits [E072]");
}

// The values of a run that ended early are not there, nor those of the run before it.
TEST(InterpreterRowNumbers, bad_reads_after_a_run_with_an_error) {
  Program p;
  const ValueId state = add(p, StateOp{"s", 1, Shape(), 0}, {});
  const ValueId taken = add(p, TakeOp{}, {table(p), state});
  p.set_sample_count(1);
  p.output(taken, Index::slice(0, 1));
  const auto executable = compile_or_throw(p);
  ASSERT_TRUE(executable->run());
  EXPECT_TRUE(executable->outputs());
  ASSERT_TRUE(executable->set_state("s", std::vector<double>{3}));
  ASSERT_FALSE(executable->run());
  const auto outputs = executable->outputs();
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().text(),
            "interpreter: error: outputs: no run yet, or the last one had an error [E050]");
  EXPECT_FALSE(executable->read(taken));
  ASSERT_TRUE(executable->set_state("s", std::vector<double>{2}));
  ASSERT_TRUE(executable->run());
  EXPECT_THAT(executable->read(taken).value(), are_near({5, 6}));
}

}  // namespace
}  // namespace vecc::test
