// Kernels that store where they read: the values are those of buffers that lie apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "backends/cpu/cpu_backend.h"
#include "tests/backends/program_check.h"
#include "vecc/plan.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kRows = 700;

Index shared_row(std::uint32_t rows) {
  return Index::repeat(1, rows);
}

void add_output(Program& program, ValueId value) {
  const std::uint32_t rows = program.op(value).rows;
  program.set_sample_count(rows);
  program.output(value, Index::slice(0, rows));
}

// Some kernel of the Program that `build` fills stores in place, and all outputs are right.
void expect_in_place(const std::function<void(Program&)>& build) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    SCOPED_TRACE(text_of(dtype));
    Program program(dtype);
    build(program);
    const Plan plan = make_plan(program);
    EXPECT_TRUE(std::ranges::any_of(plan.launches, [&](const Launch& launch) {
      const Kernel& kernel = plan.kernels[launch.kernel];
      return kernel.in_place || kernel.reloads;
    })) << text_of(plan, program);
    expect_outputs_agree(program);
  }
}

TEST(CpuInPlace, OneLoopOverAllEntries) {
  expect_in_place([](Program& program) {
    const ValueId x = random_fact(program, 2 * kRows, Shape::column(3), 1);
    const ValueId sums = program.segment(x, Segments::fixed(2), Combination::Sum);
    add_output(program, program.transform(sums, {.id = Transformation::Tanh, .target = {}}));
  });
}

TEST(CpuInPlace, BlocksOfRows) {
  expect_in_place([](Program& program) {
    const ValueId x = random_fact(program, kRows, Shape::column(16), 1);
    const ValueId w = random_fact(program, 1, Shape(16, 16), 2);
    const ValueId v = random_fact(program, 1, Shape(16, 16), 3);
    const ValueId first = program.linear(program.gather(w, shared_row(kRows)), x);
    const ValueId second = program.linear(program.gather(v, shared_row(kRows)), first);
    add_output(program, program.transform(second, {.id = Transformation::Relu, .target = {}}));
  });
}

TEST(CpuInPlace, MembersOfASoftmax) {
  expect_in_place([](Program& program) {
    const ValueId x = random_fact(program, 60, Shape(), 1);
    const ValueId scores = program.transform(x, {.id = Transformation::Relu, .target = {}});
    const auto segments = Segments::ragged({0, 1, 3, 3, 20, 60});
    const ValueId shares = program.segment(scores, segments, Combination::Softmax);
    const ValueId scaled = program.linear(shares, random_fact(program, 60, Shape::column(3), 2));
    add_output(program, program.segment(scaled, segments, Combination::Sum));
  });
}

TEST(CpuInPlace, AnUpdateIsStoredBehindAllThatReadsTheOldRows) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    Program program(dtype);
    auto values = SharedNumbers::of(random_values(12 * kRows, 5));
    const ParameterIndex w =
        program.add_parameter({"w", kRows, Shape::column(12), std::move(values)}).value();
    const ValueId old = program.weight(w);
    const ValueId next = program.transform(old, {.id = Transformation::Square, .target = {}});
    const ValueId both = program.linear(random_fact(program, kRows, Shape(), 6), next);
    const Expr sum = *parse_expr("sum($0, $1)", "");
    const ValueId late = program.map(sum, {{old, both}});
    EXPECT_TRUE(program.add(UpdateOp{}, {old, next}));
    add_output(program, late);
    expect_outputs_agree(program);
  }
}

}  // namespace
}  // namespace vecc::test
