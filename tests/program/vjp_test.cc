// The rules of `vjp`: what it reads, sizes, and its text.
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

const std::string kFacts =
    "%0 = fact {1, 2, 3, 4} : f32[4, 1]\n%1 = fact {1, 2, 3, 4} : f32[2, 2x1]\n";

// The error of one more line, without its place.
std::string error_of_vjp(const std::string& body) {
  const std::string text = error_of(kHeader + kFacts + "%2 = vjp " + body + "\n");
  return text.substr(text.find("error: "));
}

TEST(Vjp, reads_what_the_derivative_reads) {
  const auto reads = [](Transformation id, double slope = 0.01) {
    return reads_of({TransformOp{{id, slope, Shape()}, nullptr}, 0, Shape()});
  };
  EXPECT_TRUE(reads(Transformation::Gelu).operands);
  EXPECT_FALSE(reads(Transformation::Gelu).result);
  EXPECT_FALSE(reads(Transformation::Tanh).operands);
  EXPECT_TRUE(reads(Transformation::Tanh).result);
  EXPECT_FALSE(reads(Transformation::Slice).operands || reads(Transformation::Slice).result);
  EXPECT_TRUE(reads(Transformation::Norm).operands && reads(Transformation::Norm).result);
  EXPECT_TRUE(reads(Transformation::LeakyRelu).result);
  EXPECT_TRUE(reads(Transformation::LeakyRelu, -1).operands);
}

TEST(Vjp, bad_kind_and_operand) {
  EXPECT_EQ(error_of_vjp("$0 of gather %0 [0] : f32[1, 1]"),
            "error: found \"gather\", expected \"segment\", \"transform\" or \"map\" [E030]");
  EXPECT_EQ(error_of_vjp("0 of transform %0, %0 tanh : f32[4, 1]"),
            "error: found \"0\", expected \"$\" [E030]");
  EXPECT_EQ(error_of_vjp("$1 of transform %0, %0 tanh : f32[4, 1]"),
            "error: by operand $1 of an op that has one [E031]");
  EXPECT_EQ(error_of_vjp("$1 of map tanh($0) %0, %0 : f32[4, 1]"),
            "error: by operand $1, but there are 1 [E031]");
}

TEST(Vjp, bad_number_of_operands) {
  EXPECT_EQ(error_of_vjp("$0 of transform %0 tanh : f32[4, 1]"),
            "error: has 1 operand, expected 2 [E031]");
  EXPECT_EQ(error_of_vjp("$0 of transform %0, %0 reverse : f32[4, 1]"),
            "error: has 2 operands, expected 1 [E031]");
  EXPECT_EQ(error_of_vjp("$0 of segment %0, %0 [0, 4] sum : f32[4, 1]"),
            "error: has 2 operands, expected 1 [E031]");
}

TEST(Vjp, bad_sizes) {
  EXPECT_EQ(error_of_vjp("$0 of transform %1, %0 tanh : f32[4, 1]"),
            "error: %1 (the result) has 2 rows of 2x1, expected 4 of 1 [E031]");
  EXPECT_EQ(error_of_vjp("$0 of transform %0 atindex [1] : f32[4, 1x1]"),
            "error: atindex 1 of 1x1, expected below 1 [E031]");
  EXPECT_EQ(error_of_vjp("$0 of segment %0, %0 [0, 1, 4] max : f32[4, 1]"),
            "error: %0 (g) has 4 rows of 1, expected 2 of 1 [E031]");
  EXPECT_EQ(error_of_vjp("$0 of segment %0, %0 [0, 1, 3] softmax : f32[4, 1]"),
            "error: %0 (the result) has 4 rows of 1, expected 3 of 1 [E031]");
  EXPECT_EQ(error_of_vjp("$0 of map tanh($0) %1, %0 : f32[2, 2x1]"),
            "error: %0 (g) has 4 rows of 1, expected 2 of 2x1 [E031]");
  EXPECT_EQ(error_of_vjp("$0 of segment %0 [fixed 4294967295 dim 2] sum : f32[4, 1]"),
            "error: makes 17179869180 rows, more than 4294967295 [E045]");
}

}  // namespace
}  // namespace vecc::test
