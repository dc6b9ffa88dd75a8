// Kernels whose rows come sorted by the length of their segments.
#include <gtest/gtest.h>

#include "backends/cpu/cpu_backend.h"
#include "tests/backends/program_check.h"
#include "vecc/plan.h"

namespace vecc::test {
namespace {

TEST(CpuRowOrder, OutputsAgree) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    for (const std::uint32_t rows : {3000u, 70000u}) {  // lists of 16 and of 32 bits
      std::vector<std::uint32_t> offsets{0};
      for (std::uint32_t s = 0; s < rows; ++s) offsets.push_back(offsets.back() + s * 7 % 5);
      Program program(dtype);
      const ValueId x = random_fact(program, offsets.back(), Shape::column(3), 1);
      const ValueId own = random_fact(program, rows, Shape::column(3), 2);
      const ValueId sums = program.segment(x, Segments::ragged(offsets), Combination::Sum);
      const ValueId scaled = program.linear(random_fact(program, rows, Shape(), 3), sums);
      const Expr sum = *parse_expr("sum($0, $1)", "");
      program.set_sample_count(rows);
      program.output(program.map(sum, {{scaled, own}}), Index::slice(0, rows));
      ASSERT_NE(make_plan(program).launches[0].order, kNone);
      expect_outputs_agree(program);
    }
  }
}

}  // namespace
}  // namespace vecc::test
