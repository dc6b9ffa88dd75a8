// Comparisons of Programs that are equal in other words, and of ones that are not.
#include "optimizer/compare/compare_programs.h"

#include <gmock/gmock.h>

#include <limits>
#include <sstream>

#include "optimizer/compare/random_draw.h"
#include "tests/support/random_graph.h"
#include "vecc/program_text.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Program program_of(const std::string& text) {
  auto program = parse_program("vecc program 1 f32 " + text, "test");
  if (!program) throw std::logic_error(program.error().text());
  return std::move(*program);
}

opt::Comparison compare(const std::string& before, const std::string& after,
                        const opt::CompareOptions& options = {}) {
  auto result = opt::compare_programs(program_of(before), program_of(after), options);
  if (!result) throw std::logic_error(result.error().text());
  return std::move(*result);
}

void expect_equal(const std::string& before, const std::string& after) {
  const opt::Comparison result = compare(before, after);
  EXPECT_TRUE(result.equal) << result.difference;
  EXPECT_EQ(result.difference, "");
  EXPECT_LE(result.worst_output, 1e-9);
  EXPECT_LE(result.worst_gradient, 1e-9);
}

const std::string kTwoRows = R"(samples 2
parameter "w" [1, 2x2]
parameter "x" [2, 2x1]
%0 = weight "w" : f32[1, 2x2]
%1 = weight "x" : f32[2, 2x1]
)";
const std::string kProducts = kTwoRows + R"(%2 = gather %0 [0, 0] : f32[2, 2x2]
%3 = linear %2, %1 : f32[2, 2x1]
%4 = output %3 [0:2] : f32[2, 2x1])";

TEST(ComparePrograms, EqualWithOtherOps) {
  expect_equal(kProducts, kTwoRows + R"(%2 = linear %0 lift(repeat 2), %1 : f32[2, 2x1]
%3 = output %2 [0:2] : f32[2, 2x1])");
}

// What a step stores is a result, as outputs are: of an optimizer's state and of weights.
TEST(ComparePrograms, DifferentUpdates) {
  const auto step = [](const std::string& rows, const std::string& target) {
    return R"(samples 2
parameter "x" [2, 1]
%0 = weight "x" : f32[2, 1]
%1 = )" + target +
           R"( : f32[2, 1]
%2 = gather %0 )" +
           rows + R"( : f32[2, 1]
%3 = update %1, %2 : f32[2, 1]
%4 = output %0 [0:2] : f32[2, 1])";
  };
  const opt::CompareOptions outputs{.gradients = false};
  for (const std::string target : {"state \"m\" = 0", "weight \"x\""}) {
    EXPECT_TRUE(compare(step("[1, 0]", target), step("[1, 0]", target), outputs).equal) << target;
    const opt::Comparison result = compare(step("[1, 0]", target), step("[0, 1]", target), outputs);
    EXPECT_FALSE(result.equal);
    EXPECT_THAT(result.difference, StartsWith("what is stored in "));
  }
}

TEST(ComparePrograms, EqualWithParametersInAnotherOrder) {
  expect_equal(kProducts, R"(samples 2
parameter "x" [2, 2x1]
parameter "w" [1, 2x2]
%0 = weight "x" : f32[2, 2x1]
%1 = weight "w" : f32[1, 2x2]
%2 = linear %1 lift(repeat 2), %0 : f32[2, 2x1]
%3 = output %2 [0:2] : f32[2, 2x1])");
}

TEST(ComparePrograms, EqualWithAnotherRounding) {
  const std::string facts = R"(samples 1
parameter "w" [3, 1]
%0 = weight "w" : f32[3, 1]
)";
  const opt::Comparison result = compare(facts + R"(%1 = segment %0 [0, 3] avg : f32[1, 1]
%2 = output %1 [0:1] : f32[1, 1])",
                                         facts + R"(%1 = fact {0.3333333333333333} : f32[1, 1]
%2 = linear %1 lift(repeat 3), %0 : f32[3, 1]
%3 = segment %2 [0, 3] sum : f32[1, 1]
%4 = output %3 [0:1] : f32[1, 1])");
  EXPECT_TRUE(result.equal) << result.difference;
  EXPECT_LT(result.worst_output, 1e-15);
}

TEST(ComparePrograms, NamesTheSampleThatDiffers) {
  const opt::Comparison result =
      compare(kProducts, kTwoRows + R"(%2 = linear %0 lift(repeat 2), %1 : f32[2, 2x1]
%3 = gather %2 [0, 0] : f32[2, 2x1]
%4 = output %3 [0:2] : f32[2, 2x1])");
  EXPECT_FALSE(result.equal);
  EXPECT_THAT(result.difference, StartsWith("sample 1, element 0: "));
  EXPECT_THAT(result.difference, testing::EndsWith(" after (weights of seed 1)"));
}

// (w + 1e20) - 1e20 is 0 as w * 0 is, but its derivative is 1.
const std::string kRows = R"(samples 1
parameter "w\n" [2, 1]
%0 = weight "w\n" : f32[2, 1]
%1 = gather %0 [1:2] : f32[1, 1]
)";
const std::string kZero = kRows + R"(%2 = map elproduct($0, 0) %1 : f32[1, 1]
%3 = output %2 [0:1] : f32[1, 1])";
const std::string kZeroBySum = kRows + R"(%2 = map sum(sum($0, 1e20), -1e20) %1 : f32[1, 1]
%3 = output %2 [0:1] : f32[1, 1])";

TEST(ComparePrograms, NamesTheParameterRowWhoseGradientDiffers) {
  const opt::Comparison result = compare(kZero, kZeroBySum);
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(result.worst_output, 0);
  EXPECT_THAT(result.difference,
              StartsWith(R"(gradient by parameter "w\n", row 1, element 0: 0 before, )"));
}

TEST(ComparePrograms, GradientsCanBeLeftOut) {
  opt::CompareOptions options;
  options.gradients = false;
  EXPECT_TRUE(compare(kZero, kZeroBySum, options).equal);
}

TEST(ComparePrograms, ADroppedParameterIsEqualIfItsGradientIsZero) {
  const std::string none = R"(samples 1
%0 = fact {0} : f32[1, 1]
%1 = output %0 [0:1] : f32[1, 1])";
  expect_equal(kZero, none);
  expect_equal(none, kZero);
  EXPECT_THAT(compare(kZeroBySum, none).difference, HasSubstr("gradient by parameter \"w\\n\""));
  EXPECT_THAT(compare(none, kZeroBySum).difference, HasSubstr("gradient by parameter \"w\\n\""));
}

TEST(ComparePrograms, SizesDiffer) {
  const auto zeros = [](const char* samples, const char* shape) {
    const std::string size = std::string(" : f32[") + samples + ", " + shape + "]\n";
    return std::string("samples ") + samples + "\nparameter \"w\" [" + samples + ", " + shape +
           "]\n%0 = weight \"w\"" + size + "%1 = transform %0 signum" + size +
           "%2 = transform %1 square" + size + "%3 = output %2 [0:" + samples + "]" + size;
  };
  EXPECT_THAT(compare(zeros("1", "1x2"), zeros("1", "2x1")).difference,
              StartsWith("sample 0: shape 1x2 before, 2x1 after"));
  EXPECT_THAT(compare(zeros("1", "1"), zeros("2", "1")).difference,
              StartsWith("samples: 1 before, 2 after"));
}

TEST(ComparePrograms, ParameterSizesDiffer) {
  const auto with_rows = [](const std::string& rows) {
    return "samples 1\nparameter \"w\" [" + rows + R"(, 1]
%0 = fact {2} : f32[1, 1]
%1 = output %0 [0:1] : f32[1, 1])";
  };
  EXPECT_THAT(compare(with_rows("3"), with_rows("4")).difference,
              StartsWith("parameter \"w\": [3, 1] before, [4, 1] after"));
}

// log of half of the draws is NaN.
TEST(ComparePrograms, NaNIsEqualToItselfOnly) {
  const std::string head = R"(samples 16
parameter "w" [16, 1]
%0 = weight "w" : f32[16, 1]
%1 = transform %0 log : f32[16, 1]
)";
  const std::string logs = head + "%2 = output %1 [0:16] : f32[16, 1]";
  expect_equal(logs, logs);
  const opt::Comparison result = compare(logs, head + "%2 = output %0 [0:16] : f32[16, 1]");
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(result.worst_output, std::numeric_limits<double>::infinity());
}

// signum(w - c) and signum(w - c + 1e-18), where c is what the first seed draws for w: 0 and 1
// there, equal on any other draw.
TEST(ComparePrograms, AJumpThatOneDrawHitsIsAFalseAlarm) {
  const opt::CompareOptions options;
  std::ostringstream c;
  c.precision(17);
  c << opt::draw_numbers(options.seed, "parameter w", 1)[0];
  const std::string head = R"(samples 1
parameter "w" [1, 1]
%0 = weight "w" : f32[1, 1]
)";
  const std::string tail = R"( %0 : f32[1, 1]
%2 = output %1 [0:1] : f32[1, 1])";
  const std::string at = head + "%1 = map signum(sum($0, reverse(" + c.str() + ")))" + tail;
  const std::string beside =
      head + "%1 = map signum(sum(sum($0, reverse(" + c.str() + ")), 1e-18))" + tail;
  const opt::Comparison result = compare(at, beside, options);
  EXPECT_TRUE(result.equal) << result.difference;
  EXPECT_EQ(result.worst_output, 0);
}

TEST(ComparePrograms, UpdatesHaveNoGradients) {
  const Program program = program_of(R"(samples 1
parameter "w" [1, 1]
%0 = weight "w" : f32[1, 1]
%1 = update %0, %0 : f32[1, 1]
%2 = output %0 [0:1] : f32[1, 1])");
  const auto refused = opt::compare_programs(program, program, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::BackendUnsupported);
  opt::CompareOptions options;
  options.gradients = false;
  EXPECT_TRUE(opt::compare_programs(program, program, options)->equal);
}

// A batch that a parameter holds: rows of it are taken, and those number rows.
TEST(ComparePrograms, RowNumbersThatAreTakenKeepTheirValues) {
  const std::string taken = R"(samples 3
parameter "t" [3, 1] = {0, 1, 2}
parameter "e" [3, 2x1]
%0 = weight "t" : f32[3, 1]
%1 = fact {7} : f32[1, 1]
%2 = draw %1 < 3 seed 1 stream 2 : f32[3, 1]
%3 = take %0, %2 : f32[3, 1]
%4 = weight "e" : f32[3, 2x1]
%5 = take %4, %3 : f32[3, 2x1]
%6 = output %5 [0:3] : f32[3, 2x1])";
  expect_equal(taken, taken);
}

// What only one of the Programs reads as row numbers has the same values in both.
TEST(ComparePrograms, RowNumbersOfOneProgramAreThoseOfTheOther) {
  const std::string dead = R"(samples 1
parameter "i" [1, 1] = {0}
%0 = weight "i" : f32[1, 1]
%1 = fact {5, 6} : f32[2, 1]
%2 = take %1, %0 : f32[1, 1]
%3 = output %0 [0:1] : f32[1, 1])";
  const std::string dropped = R"(samples 1
parameter "i" [1, 1] = {0}
%0 = weight "i" : f32[1, 1]
%1 = output %0 [0:1] : f32[1, 1])";
  expect_equal(dead, dropped);
  expect_equal(dropped, dead);
}

TEST(ComparePrograms, RowNumbersWithoutValuesAreNotDrawn) {
  const Program program = program_of(R"(samples 1
parameter "i" [1, 1]
%0 = weight "i" : f32[1, 1]
%1 = draw %0 < 5 seed 1 stream 2 : f32[1, 1]
%2 = output %1 [0:1] : f32[1, 1])");
  const auto refused = opt::compare_programs(program, program, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(),
            "parameter \"i\": error: found no values, expected some: row numbers or steps are made "
            "of it, which random numbers are not [E023]");
}

// Two rows stored in one are equal by the values that are given, not by random ones.
TEST(ComparePrograms, RowsThatAreStoredTwiceKeepTheirValues) {
  const auto stored = [](const std::string& values, const std::string& moved) {
    return program_of(R"(samples 2
parameter "x" [2, 1] = {)" +
                      values +
                      R"(}
%0 = weight "x" : f32[2, 1]
%1 = fact {3, 3} : f32[2, 1]
%2 = state "s" = 0 : f32[4, 1]
%3 = map sum($0, )" + moved +
                      R"() %0 : f32[2, 1]
%4 = update %2, %3, %1 : f32[2, 1]
%5 = output %0 [0:2] : f32[2, 1])");
  };
  const opt::CompareOptions options{.gradients = false};
  const Program program = stored("4, 4", "1");
  const auto equal = opt::compare_programs(program, program, options);
  ASSERT_TRUE(equal) << equal.error().text();
  EXPECT_TRUE(equal->equal) << equal->difference;
  const auto other = opt::compare_programs(program, stored("4, 4", "2"), options);
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_FALSE(other->equal);
  // Not by its own values either.
  const Program broken = stored("4, 5", "1");
  const auto refused = opt::compare_programs(broken, broken, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::DifferentRows);
}

// A pass that makes row numbers wrong changes what is computed.
TEST(ComparePrograms, RowNumbersThatOnlyThenAreWrongAreADifference) {
  const auto taken = [](const std::string& number) {
    return R"(samples 1
%0 = fact {5, 6} : f32[2, 1]
%1 = fact {)" +
           number +
           R"(} : f32[1, 1]
%2 = take %0, %1 : f32[1, 1]
%3 = output %2 [0:1] : f32[1, 1])";
  };
  const opt::Comparison result = compare(taken("1"), taken("2"));
  EXPECT_FALSE(result.equal);
  EXPECT_THAT(result.difference, StartsWith("runs before, but after: interpreter: %2 take, row 0"));
}

TEST(ComparePrograms, RandomGraphsAreEqualToThemselves) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Program program = vectorize(random_graph(random_options(seed)).graph).value().program;
    const auto result = opt::compare_programs(program, program, {});
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_TRUE(result->equal) << result->difference;
    EXPECT_EQ(result->worst_output, 0);
    EXPECT_EQ(result->worst_gradient, 0);
  }
}

TEST(DrawNumbers, DependOnSeedAndNameAlone) {
  const auto numbers = opt::draw_numbers(1, "w", 1000);
  EXPECT_EQ(numbers, opt::draw_numbers(1, "w", 1000));
  EXPECT_NE(numbers, opt::draw_numbers(2, "w", 1000));
  EXPECT_NE(numbers, opt::draw_numbers(1, "v", 1000));
  EXPECT_THAT(numbers, testing::Each(testing::AllOf(testing::Ge(-1), testing::Lt(1))));
}

}  // namespace
}  // namespace vecc::test
