// The border of differentiate() and gradient(), and what gradients are where differences cannot
// tell.
#include "backends/reference/value_storage.h"
#include "tests/reference/program_gradient_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

Program parse_or_throw(const std::string& text) {
  auto program = parse_program("vecc program 1 f64 " + text, "test");
  if (!program) throw std::logic_error(program.error().text());
  return std::move(*program);
}

Program scaled_twice() {
  return parse_or_throw(R"(samples 2
parameter "w" [2, 1] = {3, 4}
%0 = weight "w" : f64[2, 1]
%1 = linear %0, %0 : f64[2, 1]
%2 = output %1 [1, 0] : f64[2, 1])");
}

// d (a w1^2 + b w0^2): samples are in the order 1, 0.
TEST(ProgramGradients, OutputGradientsAreInSampleOrder) {
  EXPECT_THAT(program_gradients(scaled_twice(), {10, 1}), testing::ElementsAre(are_near({6, 80})));
}

TEST(ProgramGradients, EveryDifferentiateBeginsAnew) {
  const auto executable = compile_for_gradients(scaled_twice());
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->differentiate(std::vector<double>{1, 1}));
  ASSERT_TRUE(executable->differentiate(std::vector<double>{0, 1}));
  EXPECT_THAT(executable->gradient(0).value(), are_near({6, 0}));
}

TEST(ProgramGradients, FollowTheLastRun) {
  const auto executable = compile_for_gradients(scaled_twice());
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->set_parameter(0, std::vector<double>{1, 2}));
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->differentiate(std::vector<double>{1, 1}));
  EXPECT_THAT(executable->gradient(0).value(), are_near({2, 4}));
}

TEST(ProgramGradients, BadUsage) {
  const std::vector<double> ones(2, 1.0);
  const auto without = compile_or_throw(scaled_twice());
  ASSERT_TRUE(without->run());
  EXPECT_EQ(without->differentiate(ones).error().text(),
            "interpreter: error: differentiate: the Program was compiled without gradients [E050]");

  const auto executable = compile_for_gradients(scaled_twice());
  const std::string not_run =
      "interpreter: error: differentiate: no run since the Program was compiled or a parameter was "
      "set [E050]";
  const std::string no_gradient =
      "interpreter: error: gradient: no differentiate() since the last run [E050]";
  EXPECT_EQ(executable->differentiate(ones).error().text(), not_run);
  ASSERT_TRUE(executable->run());
  EXPECT_EQ(executable->gradient(0).error().text(), no_gradient);
  EXPECT_EQ(executable->differentiate(std::vector<double>(3)).error().text(),
            "output gradients: error: 3 numbers, expected 2: one an element of every sample's "
            "output [E050]");
  ASSERT_TRUE(executable->differentiate(ones));
  ASSERT_TRUE(executable->set_parameter(0, ones));
  EXPECT_EQ(executable->differentiate(ones).error().text(), not_run);
  ASSERT_TRUE(executable->run());
  EXPECT_EQ(executable->gradient(0).error().text(), no_gradient);
}

TEST(ProgramGradients, NotOfProgramsWithUpdates) {
  const Program program = parse_or_throw(R"(samples 0
parameter "w" [1, 1] = {3}
%0 = weight "w" : f64[1, 1]
%1 = fact {1} : f64[1, 1]
%2 = update %0, %1 : f64[1, 1])");
  ExecutionOptions options;
  options.gradients = true;
  const auto executable = find_backend("interpreter")->compile(program, options);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().text(),
            "interpreter: error: %2 update: no gradients of a Program with updates [E061]");
}

// The first of equal members wins in both directions.
TEST(ProgramGradients, TiesGoToTheFirstMember) {
  const Program program = parse_or_throw(R"(samples 1
parameter "w" [3, 2x1] = {1, 2, 2, 1, 0, 3}
%0 = weight "w" : f64[3, 2x1]
%1 = segment %0 [0, 3] max : f64[1, 2x1]
%2 = output %1 [0:1] : f64[1, 2x1])");
  EXPECT_THAT(program_gradients(program, {5, 7}),
              testing::ElementsAre(are_near({5, 7, 0, 0, 0, 0})));
}

// The square root's derivative at 0 is infinite; the row has no part in the output.
TEST(ProgramGradients, RowsWithoutGradientPassNothingOn) {
  const Program program = parse_or_throw(R"(samples 1
parameter "w" [2, 1] = {0, 4}
%0 = weight "w" : f64[2, 1]
%1 = transform %0 sqrt : f64[2, 1]
%2 = linear %0, %1 : f64[2, 1]
%3 = gather %2 [1:2] : f64[1, 1]
%4 = output %3 [0:1] : f64[1, 1])");
  EXPECT_THAT(program_gradients(program, {1}), testing::ElementsAre(are_near({0, 3})));
}

// 30,000 levels, each a concat of all before it and one more row: one buffer of the rows there are,
// not half a billion.
TEST(ProgramGradients, ConcatChainsShareTheirMemory) {
  constexpr std::uint32_t kLevels = 30000;
  Program program(DType::F64);
  const auto values = SharedNumbers::repeated(1, 1.0);
  ValueId all = program.weight(program.add_parameter({"w", 1, Shape(), values}).value());
  const ValueId half = program.fact({0.5}, 1, Shape());
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const ValueId last = program.gather(all, Index::slice(level, 1));
    const ValueId members[] = {all, program.linear(half, last)};
    all = program.concat(members);
  }
  const auto places = place_values(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const OpKind kind = program.op(id).kind();
    const bool stored = kind == OpKind::Concat || kind == OpKind::Linear;
    EXPECT_TRUE(!stored || places[id].buffer == all) << id;
  }
  program.set_sample_count(kLevels + 1);
  program.output(all, Index::slice(0, kLevels + 1));
  const auto gradients = program_gradients(program, std::vector<double>(kLevels + 1, 1.0));
  EXPECT_THAT(gradients[0], are_near({2}));  // 1 + 1/2 + 1/4 + ...
}

}  // namespace
}  // namespace vecc::test
