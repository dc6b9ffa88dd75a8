// The cost model: what is counted, and what is fitted.
#include "vecc/cost.h"

#include <gtest/gtest.h>

#include "optimizer/cost/work.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

Program parsed_program(const std::string& ops) {
  Result<Program> program = parse_program("vecc program 1 f32 samples 0\n" + ops, "p");
  return std::move(program.value());
}

TEST(Work, multiply_adds_of_a_product_by_its_shapes) {
  EXPECT_EQ(opt::multiply_adds(Shape(3, 4), Shape(4, 5)), 60u);
  EXPECT_EQ(opt::multiply_adds(Shape::row(4), Shape::column(4)), 4u);
  EXPECT_EQ(opt::multiply_adds(Shape::column(4), Shape::row(5)), 20u);
  EXPECT_EQ(opt::multiply_adds(Shape::scalar(), Shape(3, 4)), 12u);
  EXPECT_EQ(opt::multiply_adds(Shape(3, 4), Shape::scalar()), 12u);
}

TEST(Work, a_product_counts_its_rows_and_what_it_reads_and_writes) {
  const Program program = parsed_program(
      "%0 = fact {1, 2, 3, 4} : f32[1, 2x2]\n"
      "%1 = fact {1, 2, 3, 4, 5, 6} : f32[3, 2x1]\n"
      "%2 = linear %0 lift(repeat 3), %1 : f32[3, 2x1]\n");
  const Work work = opt::work_of(program, 2);
  EXPECT_EQ(work.launches, 1);
  EXPECT_EQ(work.bytes, 4 * (4 + 6 + 6));
  EXPECT_EQ(work.multiply_adds, 3 * 4);
}

TEST(Work, products_with_a_matrix_a_row_move_their_bytes_in_batches) {
  const Program program = parsed_program(
      "%0 = fact {1, 2, 3, 4, 5, 6, 7, 8} : f32[2, 2x2]\n"
      "%1 = fact {1, 2, 3, 4} : f32[2, 2x1]\n"
      "%2 = fact {1, 2} : f32[2, 1]\n"
      "%3 = linear %0, %1 : f32[2, 2x1]\n"
      "%4 = linear %2, %1 : f32[2, 2x1]\n");
  EXPECT_EQ(opt::work_of(program, 3).bytes, 0);
  EXPECT_EQ(opt::work_of(program, 3).batch_bytes, 4 * (8 + 4 + 4));
  EXPECT_EQ(opt::work_of(program, 4).bytes, 4 * (2 + 4 + 4));
  EXPECT_EQ(opt::work_of(program, 4).batch_bytes, 0);
}

TEST(Work, a_slice_is_free_and_a_list_moves_rows) {
  const Program program = parsed_program(
      "%0 = fact {1, 2, 3} : f32[3, 1]\n"
      "%1 = gather %0 [1:3] : f32[2, 1]\n"
      "%2 = gather %0 [2, 0] : f32[2, 1]\n");
  EXPECT_EQ(opt::work_of(program, 1).launches, 0);
  EXPECT_EQ(opt::work_of(program, 1).bytes, 0);
  EXPECT_EQ(opt::work_of(program, 2).launches, 1);
  EXPECT_EQ(opt::work_of(program, 2).bytes, 2 * 2 * 4 + 2 * 4);
}

TEST(Cost, prediction_is_linear_in_the_work) {
  const Program program = parsed_program(
      "%0 = fact {1, 2, 3} : f32[3, 1]\n"
      "%1 = transform %0 tanh : f32[3, 1]\n"
      "%2 = transform %1 tanh : f32[3, 1]\n");
  EXPECT_DOUBLE_EQ(predict_seconds(program, {.run = 1}), 1);
  EXPECT_DOUBLE_EQ(predict_seconds(program, {.launch = 1}), 2);
  EXPECT_DOUBLE_EQ(predict_seconds(program, {.byte = 1}), 2 * 24);
  EXPECT_DOUBLE_EQ(predict_seconds(program, {.multiply_add = 1}), 6);
}

TEST(Cost, fit_finds_the_coefficients_that_made_the_times) {
  std::vector<MeasuredWork> runs;
  const CostCoefficients made{5e-6, 2e-6, 1e-10, 7e-10, 3e-12};
  for (const double launches : {1.0, 5.0, 50.0}) {
    for (const double bytes : {1e3, 1e6, 1e9}) {
      for (const double batch_bytes : {0.0, 1e5, 1e8}) {
        for (const double products : {0.0, 1e4, 1e10}) {
          const Work work{launches, bytes, batch_bytes, products};
          runs.push_back({work, predict_seconds(work, made)});
        }
      }
    }
  }
  const CostCoefficients fitted = fit_coefficients(runs);
  EXPECT_NEAR(fitted.run, 5e-6, 1e-10);
  EXPECT_NEAR(fitted.launch, 2e-6, 1e-10);
  EXPECT_NEAR(fitted.byte, 1e-10, 1e-14);
  EXPECT_NEAR(fitted.batch_byte, 7e-10, 1e-14);
  EXPECT_NEAR(fitted.multiply_add, 3e-12, 1e-16);
}

TEST(Cost, fit_has_no_negative_coefficient) {
  const std::vector<MeasuredWork> runs{
      {{1, 1e6, 0, 1e6}, 1e-5}, {{1, 1e7, 0, 2e6}, 9e-6}, {{2, 1e6, 0, 1e6}, 2e-5}};
  const CostCoefficients fitted = fit_coefficients(runs);
  EXPECT_GE(fitted.launch, 0);
  EXPECT_GE(fitted.byte, 0);
  EXPECT_GE(fitted.multiply_add, 0);
  EXPECT_GT(fitted.launch + fitted.byte + fitted.multiply_add, 0);
}

TEST(Cost, printed_kernels_read_a_matrix_a_row_as_all_else) {
  const CostCoefficients torch = default_coefficients(Runner::TorchOnGpu);
  const CostCoefficients printed = default_coefficients(Runner::KernelsOnGpu);
  EXPECT_GT(torch.batch_byte, torch.byte);
  EXPECT_EQ(printed.batch_byte, printed.byte);
  EXPECT_EQ(printed.launch, torch.launch);
}

TEST(Cost, coefficients_say_what_they_are_of) {
  for (const Runner runner : {Runner::Cpu, Runner::TorchOnGpu, Runner::KernelsOnGpu}) {
    EXPECT_EQ(default_coefficients(runner).runner, runner);
    EXPECT_EQ(waits_for_products(runner), runner == Runner::Cpu);
  }
}

}  // namespace
}  // namespace vecc::test
