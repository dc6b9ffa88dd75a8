// Numbers too small to be normal: tables lose them when they are updated, values keep them.
#include <gtest/gtest.h>

#include <limits>

#include "backends/cpu/cpu_backend.h"
#include "vecc/program.h"

namespace vecc::test {
namespace {

// A state of a half of itself and what is small of a fact, run by run.
struct Decay {
  ValueId state = 0;
  ValueId small = 0;
  Program program;
  explicit Decay(DType dtype, double least) : program(dtype) {
    program.set_sample_count(2);
    state = *program.add(StateOp{"mean", 2, Shape::row(3), 1}, {});
    const ValueId operands[] = {state};
    const ValueId next = program.map(*parse_expr("elproduct(0.5, $0)", "test"), operands);
    EXPECT_TRUE(program.add(UpdateOp{}, {state, next}));
    const ValueId fact[] = {program.fact(std::vector<double>(6, least), 2, Shape::row(3))};
    small = program.map(*parse_expr("elproduct(0.5, $0)", "test"), fact);
    program.output(small, Index::slice(0, 2));
  }
};

template <class T>
void expect_flushed(DType dtype) {
  const double least = std::numeric_limits<T>::min();
  const Decay decay(dtype, least);
  const auto executable = cpu_backend().compile(decay.program, {});
  ASSERT_TRUE(executable) << executable.error().text();
  const int runs = -std::numeric_limits<T>::min_exponent + 1;
  for (int run = 0; run < runs; ++run) ASSERT_TRUE((*executable)->run());
  EXPECT_EQ((*executable)->state("mean").value(), std::vector<double>(6, least));
  ASSERT_TRUE((*executable)->run());
  EXPECT_EQ((*executable)->state("mean").value(), std::vector<double>(6, 0));
  for (const auto& output : (*executable)->outputs().value()) {
    EXPECT_EQ(output.value, std::vector<double>(3, least / 2));
  }
}

TEST(Subnormals, UpdatesTakeThemAsZeroAndValuesDoNot) {
  expect_flushed<float>(DType::F32);
  expect_flushed<double>(DType::F64);
}

}  // namespace
}  // namespace vecc::test
