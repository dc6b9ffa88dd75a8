// What append_gradients refuses, and its border.
#include <gtest/gtest.h>

#include "tests/differentiate/gradient_case.h"
#include "tests/reference/interpreter_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

Program program_of(const std::string& ops) {
  auto program = parse_program(
      "vecc program 1 f64 samples 0\n"
      "parameter \"w\" [2, 1] = {1, 2}\n"
      "%0 = weight \"w\" : f64[2, 1]\n" +
          ops,
      "test");
  EXPECT_TRUE(program) << program.error().text();
  return program ? std::move(*program) : Program();
}

std::string error_of(Program program, std::vector<Seed> seeds,
                     std::vector<ParameterIndex> wanted = {0}) {
  const auto gradients = append_gradients(program, seeds, wanted);
  return gradients ? "" : gradients.error().text();
}

TEST(AppendGradients, bad_seeds) {
  const Program program = program_of("%1 = fact {1} : f64[1, 1]\n");
  EXPECT_EQ(error_of(program, {{7, 1}}), "seed: error: %7 is not in the program [E050]");
  EXPECT_EQ(error_of(program, {{0, 1}}),
            "seed of %0 weight: error: the gradient is [1, 1], expected [2, 1] [E050]");
  EXPECT_EQ(error_of(program, {}, {3}), "parameter 3: error: is not in the program [E050]");
}

TEST(AppendGradients, bad_ops_on_the_path) {
  const std::string refused = "stands between a parameter and a seed, but has no derivative [E050]";
  EXPECT_EQ(error_of(program_of("%1 = contract %0, %0 [0, 0] : f64[1, 1]\n"), {{1, 1}}),
            "%1 contract: error: " + refused);
  EXPECT_EQ(error_of(program_of("%1 = vjp $0 of transform %0, %0 tanh : f64[2, 1]\n"), {{1, 1}}),
            "%1 vjp: error: " + refused);
  EXPECT_EQ(error_of(program_of("%1 = update %0, %0 : f64[2, 1]\n"), {{1, 1}}),
            "%1 update: error: " + refused);
}

TEST(AppendGradients, OpsBesideThePathMayHaveNoDerivative) {
  Program program = program_of(
      "%1 = contract %0, %0 [0, 0] : f64[1, 1]\n"
      "%2 = transform %0 square : f64[2, 1]\n");
  EXPECT_EQ(error_of(program, {{2, 0}}), "");
}

// The number is the sum of both seeds' parts.
TEST(AppendGradients, SeedsAddUp) {
  Program program = program_of(
      "%1 = transform %0 square : f64[2, 1]\n"
      "%2 = fact {1, 10} : f64[2, 1]\n");
  const std::vector<Seed> seeds{{1, 2}, {0, 2}, {1, 2}};
  const std::vector<ParameterIndex> wanted{0, 0};
  const auto gradients = append_gradients(program, seeds, wanted);
  ASSERT_TRUE(gradients);
  EXPECT_EQ((*gradients)[0], (*gradients)[1]);
  ASSERT_TRUE((*gradients)[0].has_value());
  EXPECT_EQ(run_value(program, *(*gradients)[0]), (std::vector<double>{5, 90}));
}

TEST(AppendGradients, OnlyOfWantedParameters) {
  Program program = program_of("%1 = transform %0 square : f64[2, 1]\n");
  const std::size_t before = program.ops().size();
  EXPECT_EQ(error_of(program, {{1, 1}}, {}), "");
  EXPECT_EQ(program.ops().size(), before);
}

}  // namespace
}  // namespace vecc::test
