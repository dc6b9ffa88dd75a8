// Draws, gathers by value, sums of equal numbers and updates by value, against the interpreter.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/reference/program_interpreter.h"
#include "src/plan/host_memory.h"
#include "tests/backends/program_check.h"
#include "tests/program/random_program.h"
#include "tests/reference/interpreter_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

ValueId scalars(Program& p, std::vector<double> values) {
  const auto rows = static_cast<std::uint32_t>(values.size());
  return p.fact(std::move(values), rows, Shape());
}

// `count` numbers below `rows`, some often.
ValueId numbers_below(Program& p, std::uint32_t rows, std::uint32_t count, std::uint32_t seed) {
  std::vector<double> numbers = random_values(count, seed, 0, 1);
  for (double& number : numbers) number = std::floor(number * number * rows);
  return scalars(p, std::move(numbers));
}

void output_rows(Program& p, std::vector<ValueId> values) {
  std::uint32_t count = 0;
  for (const ValueId value : values) count += p.op(value).rows;
  p.set_sample_count(count);
  std::uint32_t first = 0;
  for (const ValueId value : values) {
    p.output(value, Index::slice(first, p.op(value).rows));
    first += p.op(value).rows;
  }
}

ValueId map_of(Program& p, const std::string& text, std::vector<ValueId> operands) {
  return p.map(parse_expr(text, "").value(), operands);
}

std::unique_ptr<Executable> compiled(const Backend& backend, const Program& p,
                                     std::uint32_t threads = 0) {
  ExecutionOptions options;
  options.threads = threads;
  auto executable = backend.compile(p, options);
  EXPECT_TRUE(executable) << executable.error().text();
  return executable ? std::move(*executable) : nullptr;
}

// What a run leaves: outputs of all samples, one after another, then each state's rows.
std::vector<std::vector<double>> results_of(Executable& executable, const Program& p) {
  std::vector<std::vector<double>> results(1);
  const auto outputs = executable.outputs();
  EXPECT_TRUE(outputs) << outputs.error().text();
  for (const auto& output : *outputs) {
    results[0].insert(results[0].end(), output.value.begin(), output.value.end());
  }
  for (ValueId id = 0; id < p.ops().size(); ++id) {
    const auto* state = std::get_if<StateOp>(&p.op(id).attributes);
    if (state != nullptr) results.push_back(*executable.state(state->name));
  }
  return results;
}

std::vector<std::vector<double>> results_after(const Backend& backend, const Program& p, int runs,
                                               std::uint32_t threads) {
  const auto executable = compiled(backend, p, threads);
  if (executable == nullptr) return {};
  for (int i = 0; i < runs; ++i) {
    const auto done = executable->run();
    EXPECT_TRUE(done) << done.error().text();
    if (!done) return {};
  }
  return results_of(*executable, p);
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(agree(found[i], expected[i], tolerance))
        << "number " << i << " is " << found[i] << ", expected " << expected[i];
  }
}

// Two runs leave the same bits by 1, 2 and 5 threads; returned.
std::vector<std::vector<double>> expect_same_by_threads(const Program& p) {
  auto found = results_after(cpu_backend(), p, 2, 1);
  for (const std::uint32_t threads : {2u, 5u}) {
    const auto again = results_after(cpu_backend(), p, 2, threads);
    EXPECT_EQ(again.size(), found.size());
    for (std::size_t r = 0; r < std::min(found.size(), again.size()); ++r) {
      EXPECT_TRUE(equal_bits(again[r], found[r]));
    }
  }
  return found;
}

// And they are the interpreter's. `is_exact`: but for the sign of 0.
void expect_interpreted(const Program& p, bool is_exact = false) {
  const auto expected = results_after(reference::interpreter_backend(), p, 2, 0);
  const auto found = expect_same_by_threads(p);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r) {
    SCOPED_TRACE("result " + std::to_string(r));
    expect_near(found[r], expected[r], is_exact ? 0 : p.dtype() == DType::F64 ? 1e-12 : 1e-4);
  }
}

// With values for all parameters.
Program any_program(std::uint64_t seed, std::uint32_t most_ops) {
  RandomSource random(seed);
  Program p = random_row_number_program(random, 1 + random.below(most_ops));
  for (ParameterIndex w = 0; w < p.parameters().size(); ++w) {
    const Parameter& parameter = p.parameters()[w];
    if (parameter.values) continue;
    p.set_parameter_values(
        w, SharedNumbers::of(random_values(parameter.rows * parameter.shape.size(), w)));
  }
  return p;
}

std::string error_of_run(const Program& p) {
  const auto executable = compiled(cpu_backend(), p);
  const auto done = executable->run();
  return done ? "" : done.error().text();
}

// As a training step has it: rows are drawn and taken, gradients summed, the rows updated.
void build_step(Program& p, std::uint32_t table_rows, std::uint32_t draws, Shape shape) {
  const ValueId step = add(p, StateOp{"step", 1, Shape(), 7}, {});
  const ValueId table = add(p, StateOp{"table", table_rows, shape, 0.5}, {});
  const ValueId drawn = add(p, DrawOp{draws, table_rows, 0x123456789ABCDEF, 3}, {step});
  const ValueId taken = add(p, TakeOp{}, {table, drawn});
  const ValueId noise = random_fact(p, draws, shape, 5);
  const ValueId g = map_of(p, "sum($0, elproduct(0.5, $1))", {noise, taken});
  const ValueId sums = add(p, SumEqualOp{}, {g, drawn});
  const ValueId stored = map_of(p, "sum($0, elproduct(-0.125, $1))", {taken, sums});
  add(p, UpdateOp{}, {table, stored, drawn});
  add(p, UpdateOp{}, {step, map_of(p, "sum($0, 1)", {step})});
  output_rows(p, {stored, drawn});
}

TEST(CpuRowNumbers, EachOpIsTheInterpreters) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    Program p(dtype);
    const ValueId table = random_fact(p, 40, Shape::column(5), 1);
    const ValueId numbers = numbers_below(p, 40, 300, 2);
    const ValueId taken = add(p, TakeOp{}, {table, numbers});
    const ValueId sums = add(p, SumEqualOp{}, {taken, numbers});
    const ValueId scattered = add(p, ScatterSumOp{45}, {sums, numbers});
    // Through an index of their own, and of numbers that are computed.
    const ValueId reversed = p.gather(table, Index::stride(0, 2, 20));
    const ValueId halves = map_of(p, "elproduct(0.5, sum($0, $0))", {numbers});
    const ValueId low = p.gather(halves, Index::list({3, 1, 2}));
    const ValueId third = map_of(p, "elproduct(0, $0)", {low});
    const ValueId few = add(p, TakeOp{}, {reversed, third});
    output_rows(p, {taken, sums, scattered, few});
    expect_interpreted(p, /*is_exact=*/dtype == DType::F64);
  }
}

TEST(CpuRowNumbers, StepsOfATrainingAreTheInterpreters) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    for (const auto& [rows, draws] : std::map<std::uint32_t, std::uint32_t>{{1, 50}, {90, 400}}) {
      Program p(dtype);
      build_step(p, rows, draws, Shape::column(9));
      expect_interpreted(p);
    }
  }
}

// Of f32, in which the interpreter computes in double, whatever the threads are.
TEST(CpuRowNumbers, RandomProgramsAreTheInterpreters) {
  for (std::uint64_t seed = 0; seed < seeds_of(300); ++seed) {
    const Program p = any_program(seed, 14);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print(p));
    if (p.dtype() == DType::F64) {
      expect_interpreted(p);
    } else {
      expect_same_by_threads(p);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CpuRowNumbers, AllValuesAreKept) {
  const auto values_of = [](const Backend& backend, const Program& p) {
    ExecutionOptions options;
    options.keep_values = true;
    const auto executable = backend.compile(p, options).value();
    EXPECT_TRUE(executable->run());
    std::vector<std::vector<double>> values;
    for (ValueId id = 0; id < p.ops().size(); ++id) values.push_back(*executable->read(id));
    return values;
  };
  for (std::uint64_t seed = 0; seed < seeds_of(100); ++seed) {
    const Program p = any_program(seed, 10);
    if (p.dtype() == DType::F32) continue;
    const auto expected = values_of(reference::interpreter_backend(), p);
    const auto found = values_of(cpu_backend(), p);
    for (ValueId id = 0; id < p.ops().size(); ++id) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", %" + std::to_string(id) + "\n" + print(p));
      expect_near(found[id], expected[id], 1e-12);
    }
    if (testing::Test::HasFailure()) return;
  }
}

// Sums are in the order of rows, however many they are of one number, in one piece or several.
TEST(CpuRowNumbers, AMillionNumbersAreSummedInTheirOrder) {
  using Sizes = std::pair<std::uint32_t, std::uint32_t>;  // rows, numbers
  for (const auto& [rows, count] :
       {Sizes{1, 1000000}, Sizes{70000, 1000000}, Sizes{3000000, 50000}}) {
    Program p(DType::F64);
    const ValueId numbers = numbers_below(p, rows, count, 4);
    const ValueId g = random_fact(p, count, Shape(), 5);
    const ValueId table = add(p, StateOp{"table", rows, Shape(), 1}, {});
    const ValueId sums = add(p, SumEqualOp{}, {g, numbers});
    add(p, UpdateOp{}, {table, sums, numbers});
    output_rows(p, {add(p, ScatterSumOp{rows}, {g, numbers})});
    SCOPED_TRACE(rows);
    expect_interpreted(p, /*is_exact=*/true);
  }
}

// Draws are stored before the launch that stores the concat's other part, in whose place a step
// still reads what that launch reads last.
TEST(CpuRowNumbers, DrawsThatAreAPartAreTheInterpreters) {
  Program p(DType::F64);
  const ValueId step = add(p, StateOp{"step", 1, Shape(), 3}, {});
  const ValueId state = add(p, StateOp{"a", 6, Shape(), 3}, {});
  const ValueId next = map_of(p, "sum($0, 1)", {step});
  const ValueId numbers = map_of(p, "sum($0, $1)", {scalars(p, {0, 1, 2, 3, 4, 5}), state});
  const ValueId drawn = add(p, DrawOp{3, 12, 7, 2}, {next});
  const ValueId table = scalars(p, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21});
  const ValueId taken = add(p, TakeOp{}, {table, numbers});
  const ValueId low = p.gather(numbers, Index::slice(0, 3));
  const ValueId part = map_of(p, "elproduct(sum($0, 0.5), 2)", {low});
  const ValueId both[] = {part, drawn};
  output_rows(p, {map_of(p, "sum($0, $1)", {taken, p.concat(both)}), drawn});
  expect_interpreted(p, /*is_exact=*/true);
}

TEST(CpuRowNumbers, DrawsAreTheInterpreters) {
  Program p(DType::F64);
  const ValueId step = add(p, StateOp{"step", 1, Shape(), 0x1p40}, {});
  output_rows(p, {add(p, DrawOp{70000, 4294967295, 0xFEDCBA9876543210, 255}, {step})});
  expect_interpreted(p, /*is_exact=*/true);
}

TEST(CpuRowNumbers, NoNumbersAreNoRows) {
  Program p;
  const ValueId table = random_fact(p, 3, Shape::column(2), 1);
  const ValueId state = add(p, StateOp{"s", 2, Shape::column(2), 4}, {});
  const ValueId none = p.fact({}, 0, Shape());
  const ValueId no_rows = add(p, TakeOp{}, {table, none});
  const ValueId sums = add(p, SumEqualOp{}, {no_rows, none});
  add(p, UpdateOp{}, {state, sums, none});
  output_rows(p,
              {sums, add(p, ScatterSumOp{2}, {sums, none}), add(p, ScatterSumOp{0}, {sums, none})});
  expect_interpreted(p, /*is_exact=*/true);
}

// The gradient of a take is a scatter_sum.
TEST(CpuRowNumbers, GradientsAreTheInterpreters) {
  Program p(DType::F64);
  const ParameterIndex w =
      p.add_parameter({"w", 20, Shape::column(3), SharedNumbers::of(random_values(60, 3))}).value();
  const ValueId taken = add(p, TakeOp{}, {p.weight(w), numbers_below(p, 20, 90, 8)});
  const ValueId squares = map_of(p, "elproduct($0, $0)", {taken});
  output_rows(p, {p.segment(squares, Segments::fixed(90), Combination::Sum)});
  const auto gradient_of = [&](const Backend& backend) {
    ExecutionOptions options;
    options.gradients = true;
    const auto executable = backend.compile(p, options).value();
    EXPECT_TRUE(executable->run());
    EXPECT_TRUE(executable->differentiate(std::vector<double>{1, 2, 3}));
    EXPECT_TRUE(executable->differentiate(std::vector<double>{1, -2, 3}));
    return executable->gradient(w).value();
  };
  const auto expected = gradient_of(reference::interpreter_backend());
  const auto found = gradient_of(cpu_backend());
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(CpuRowNumbers, bad_numbers_end_the_run) {
  const auto expect_error = [](double number, const std::string& found) {
    Program p;
    const ValueId table = random_fact(p, 3, Shape::column(2), 1);
    add(p, TakeOp{}, {table, scalars(p, {0, number})});
    EXPECT_EQ(error_of_run(p), "cpu: %2 take, row 1: error: found the row number " + found +
                                   " (%1), expected a row of 0 to 2 [E071]");
  };
  expect_error(3, "3");
  expect_error(-1, "-1");
  expect_error(0.5, "0.5");
  expect_error(std::numeric_limits<double>::quiet_NaN(), "NaN");
  expect_error(std::numeric_limits<double>::infinity(), "Infinity");
  Program scattered;
  const ValueId g = random_fact(scattered, 3, Shape::column(2), 1);
  add(scattered, ScatterSumOp{0}, {g, scalars(scattered, {0, 0, 0})});
  EXPECT_EQ(error_of_run(scattered),
            "cpu: %2 scatter_sum, row 0: error: found the row number 0 (%1), expected none: there "
            "is no row [E071]");
  const auto error_of_sum = [](DType dtype, double number) {
    Program p(dtype);
    add(p, SumEqualOp{}, {scalars(p, {1}), scalars(p, {number})});
    return error_of_run(p);
  };
  EXPECT_EQ(error_of_sum(DType::F32, 16777215), "");
  EXPECT_NE(error_of_sum(DType::F32, 16777216), "");
  EXPECT_EQ(error_of_sum(DType::F64, 4294967294), "");
  EXPECT_NE(error_of_sum(DType::F64, 4294967295), "");
  Program steps(DType::F32);
  add(steps, DrawOp{1, 1, 0, 0}, {scalars(steps, {16777216})});
  EXPECT_EQ(error_of_run(steps),
            "cpu: %1 draw: error: found the step 16777216 (%0), expected a whole number of 0 to "
            "16777215 [E071]");
}

// Of two ops by the same numbers, the one with fewer rows.
TEST(CpuRowNumbers, bad_numbers_are_those_of_the_op_that_counts_fewer_rows) {
  Program p;
  const ValueId numbers = scalars(p, {0, 5});
  add(p, TakeOp{}, {random_fact(p, 7, Shape(), 1), numbers});
  add(p, TakeOp{}, {random_fact(p, 4, Shape(), 1), numbers});
  EXPECT_EQ(error_of_run(p),
            "cpu: %4 take, row 1: error: found the row number 5 (%0), expected a row of 0 to 3 "
            "[E071]");
}

// Also what another update would have stored, whichever comes first.
TEST(CpuRowNumbers, bad_runs_store_nothing) {
  const auto expect_nothing_stored = [](const std::vector<double>& rows,
                                        const std::vector<double>& numbers,
                                        const std::string& error) {
    Program p;
    const ValueId first = add(p, StateOp{"first", 1, Shape(), 0}, {});
    const ValueId state = add(p, StateOp{"s", 4, Shape(), 0}, {});
    const ValueId last = add(p, StateOp{"last", 3, Shape(), 0}, {});
    const ValueId row_numbers = scalars(p, numbers);
    add(p, UpdateOp{}, {first, map_of(p, "sum($0, 1)", {first})});
    const ValueId doubled = map_of(p, "sum($0, $0)", {scalars(p, rows)});
    add(p, UpdateOp{}, {state, doubled, row_numbers});
    add(p, UpdateOp{}, {last, map_of(p, "sum($0, $1)", {last, doubled})});
    const auto executable = compiled(cpu_backend(), p);
    const auto done = executable->run();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().text(), error);
    EXPECT_EQ(executable->state("s").value(), std::vector<double>(4, 0));
    EXPECT_EQ(executable->state("first").value(), std::vector<double>{0});
    EXPECT_EQ(executable->state("last").value(), std::vector<double>(3, 0));
  };
  expect_nothing_stored({1, 2, 3}, {3, 1, 3},
                        "cpu: %8 update, element 0: error: found 2 in row 0 and 6 in row 2, which "
                        "are both stored in row 3, expected equal bits [E072]");
  expect_nothing_stored({1, 2, 3}, {3, 1, 4},
                        "cpu: %8 update, row 2: error: found the row number 4 (%3), expected a row "
                        "of 0 to 3 [E071]");
  expect_nothing_stored({0, 2, -0.0}, {1, 2, 1},
                        "cpu: %8 update, element 0: error: found 0 in row 0 and -0 in row 2, which "
                        "are both stored in row 1, expected equal bits [E072]");
}

TEST(CpuRowNumbers, EqualRowsMayBeStoredTwice) {
  Program p;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ValueId state = add(p, StateOp{"s", 4, Shape::column(2), 9}, {});
  const ValueId rows = p.fact({1, nan, 3, 4, 1, nan}, 3, Shape::column(2));
  add(p, UpdateOp{}, {state, rows, scalars(p, {3, 1, 3})});
  output_rows(p, {state});
  expect_interpreted(p);
}

TEST(CpuRowNumbers, WhatAStepTakesIsStatedBefore) {
  constexpr std::uint32_t kDraws = 70000;
  Program p;
  build_step(p, 90, kDraws, Shape::column(3));
  HostMemory stated;
  ExecutionOptions options;
  options.check_plan = [&](const PlannedProgram& planned) {
    stated = host_memory(planned.program, planned.plan);
    return Result<void>();
  };
  const auto executable = cpu_backend().compile(p, options).value();
  // List, order, ranks, and what sorting takes; offsets are of 90 rows.
  EXPECT_GE(stated.own, 4 * kDraws * sizeof(std::uint32_t));
  const std::uint64_t known = stated.values + stated.constants + stated.parameters + stated.states +
                              stated.read + stated.narrow;
  if (executable->device_name() == "cpu") {
    EXPECT_EQ(executable->bytes(), known);
  } else {  // interpreters have some memory of their own, which no Plan knows
    EXPECT_GT(executable->bytes(), known);
    EXPECT_LT(executable->bytes(), known + (1 << 20));
  }
}

TEST(CpuRowNumbers, bad_batches_of_such_a_step_are_refused) {
  Program p;
  build_step(p, 9, 5, Shape::column(2));
  ExecutionOptions options;
  options.batch = std::make_shared<const BatchOptions>();
  const auto executable = cpu_backend().compile(p, options);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().text(),
            "cpu: error: batches of a step with draws, or with row numbers that are its values: it "
            "runs whole [E061]");
}

// The values of a run that ended early are not there, nor those of the run before it.
TEST(CpuRowNumbers, bad_reads_after_a_run_with_an_error) {
  Program p;
  const ValueId state = add(p, StateOp{"s", 1, Shape(), 0}, {});
  const ValueId taken = add(p, TakeOp{}, {random_fact(p, 3, Shape::column(2), 1), state});
  output_rows(p, {taken});
  const auto executable = compiled(cpu_backend(), p);
  EXPECT_FALSE(executable->outputs());
  ASSERT_TRUE(executable->run());
  EXPECT_TRUE(executable->outputs());
  ASSERT_TRUE(executable->set_state("s", std::vector<double>{3}));
  ASSERT_FALSE(executable->run());
  const auto outputs = executable->outputs();
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().text(),
            "cpu: error: outputs: no run yet, or the last one had an error [E050]");
  EXPECT_FALSE(executable->read(taken));
  ASSERT_FALSE(executable->profile());
  ASSERT_TRUE(executable->set_state("s", std::vector<double>{2}));
  ASSERT_TRUE(executable->profile());
  EXPECT_TRUE(executable->outputs());
}

}  // namespace
}  // namespace vecc::test
