// Ops whose indices are values of the step: their rules, text, and who refuses them.
#include "src/program/value_indices.h"
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

// Lines 2 to 6; the op under test is %5 at line 7.
const std::string kNumberedValues =
    "%0 = state \"step\" = 0 : f32[1, 1]\n"
    "%1 = fact {1, 0, 1} : f32[3, 1]\n"
    "%2 = fact {1, 2, 3, 4, 5, 6} : f32[3, 2x1]\n"
    "%3 = state \"table\" = 0 : f32[4, 2x1]\n"
    "%4 = fact unit : f32[16777217, 1]\n";

void expect_op(const std::string& op) {
  SCOPED_TRACE(op);
  expect_golden(kHeader + kNumberedValues + "%5 = " + op + "\n");
}

void expect_bad_op(const std::string& op, const std::string& message) {
  EXPECT_EQ(error_of(kHeader + kNumberedValues + "%5 = " + op),
            "p.vecc:7:1: %5 " + op.substr(0, op.find(' ')) + ": error: " + message + " [E031]");
}

TEST(RowNumbers, AreReadAndPrinted) {
  expect_op("draw %0 < 16777216 seed 18446744073709551615 stream 255 : f32[64, 1]");
  expect_op("draw %0 < 1 seed 0 stream 0 : f32[0, 1]");
  expect_op("take %2, %1 : f32[3, 2x1]");
  expect_op("sum_equal %2, %1 : f32[3, 2x1]");
  expect_op("scatter_sum %2, %1 : f32[9, 2x1]");
  expect_op("update %3, %2, %1 : f32[3, 2x1]");
}

TEST(RowNumbers, OfF64CountMoreRows) {
  expect_golden(
      "vecc program 1 f64 samples 0\n"
      "%0 = fact {1} : f64[1, 1]\n"
      "%1 = draw %0 < 4294967295 seed 1 stream 2 : f64[2, 1]\n"
      "%2 = fact unit : f64[16777217, 1]\n"
      "%3 = take %2, %1 : f64[2, 1]\n"
      "%4 = scatter_sum %1, %1 : f64[4294967295, 1]\n");
}

TEST(RowNumbers, bad_draws) {
  expect_bad_op("draw %1 < 4 seed 0 stream 0 : f32[2, 1]",
                "%1 has 3 rows of 1, expected 1 of 1: the step's number");
  expect_bad_op("draw %0 < 0 seed 0 stream 0 : f32[2, 1]",
                "draws numbers below 0, expected at least 1");
  expect_bad_op("draw %0 < 4 seed 0 stream 256 : f32[2, 1]",
                "has stream 256, expected less than 256");
  expect_bad_op("draw %0 < 16777217 seed 0 stream 0 : f32[2, 1]",
                "draws numbers below 16777217 in f32, expected at most 16777216: more numbers "
                "f32 does not tell apart");
  EXPECT_EQ(error_of(kHeader + kNumberedValues + "%5 = draw %0 < 4 seed 0 stream 0 : f32[2, 2x1]"),
            "p.vecc:7:36: error: found f32[2, 2x1], expected f32[2, 1] [E031]");
  EXPECT_EQ(error_of(kHeader + kNumberedValues + "%5 = draw %0 < -1 seed 0 stream 0 : f32[2, 1]"),
            "p.vecc:7:16: error: found \"-1\", expected a bound of draws [E030]");
  EXPECT_EQ(
      error_of(kHeader + kNumberedValues + "%5 = draw %0 < 4294967296 seed 0 stream 0 : f32[2, 1]"),
      "p.vecc:7:16: error: found \"4294967296\", expected a bound of draws below 2^32 [E030]");
}

TEST(RowNumbers, bad_takes_and_sums) {
  expect_bad_op("take %2, %2 : f32[3, 2x1]", "%2 has shape 2x1, expected scalars: row numbers");
  expect_bad_op("take %4, %1 : f32[3, 1]",
                "counts 16777217 rows by f32, expected at most 16777216: more numbers f32 does "
                "not tell apart");
  expect_bad_op("sum_equal %2, %0 : f32[3, 2x1]",
                "%2 has 3 rows, but %0 has 1 row numbers, expected one each");
  expect_bad_op("sum_equal %1, %2 : f32[3, 1]", "%2 has shape 2x1, expected scalars: row numbers");
  expect_bad_op("scatter_sum %2, %0 : f32[9, 2x1]",
                "%2 has 3 rows, but %0 has 1 row numbers, expected one each");
  expect_bad_op("scatter_sum %2, %1 : f32[16777217, 2x1]",
                "counts 16777217 rows by f32, expected at most 16777216: more numbers f32 does "
                "not tell apart");
}

TEST(RowNumbers, bad_updates) {
  expect_bad_op("update %3, %2, %0 : f32[3, 2x1]", "%2 has 3 rows, expected 1");
  expect_bad_op("update %3, %2, %2 : f32[3, 2x1]",
                "%2 has shape 2x1, expected scalars: row numbers");
  Program program = program_of(kHeader + kNumberedValues);
  const auto both = program.add(UpdateOp{Index::list({0, 1, 2})}, {3, 2, 1});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().text(), "%5 update: error: has rows in a list, and by a value [E031]");
}

// A state or weight is updated once, by whatever index.
TEST(RowNumbers, AreVerifiedAsOtherUpdatesAre) {
  const Program program = program_of(kHeader + kNumberedValues +
                                     "%5 = update %3, %2, %1 : f32[3, 2x1]\n"
                                     "%6 = update %3, %2 [0, 1, 2] : f32[3, 2x1]\n");
  const Result<void> verified = verify(program);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().text(), "%6 update: error: %3 is updated by %5 already [E031]");
}

const std::string kNumberedOps = kHeader + kNumberedValues +
                                 "%5 = draw %0 < 4 seed 1 stream 2 : f32[3, 1]\n"
                                 "%6 = take %3, %5 : f32[3, 2x1]\n"
                                 "%7 = sum_equal %6, %5 : f32[3, 2x1]\n"
                                 "%8 = scatter_sum %7, %5 : f32[4, 2x1]\n"
                                 "%9 = update %3, %7, %5 : f32[3, 2x1]\n"
                                 "%10 = update %0, %0 : f32[1, 1]\n";

TEST(RowNumbers, AreFoundAndRefusedByOp) {
  const Program program = program_of(kNumberedOps);
  Errors errors;
  refuse_value_indices(program, "cpu", errors);
  ASSERT_EQ(errors.list().size(), 5u);
  EXPECT_EQ(errors.list().front().code, ErrorCode::BackendUnsupported);
  EXPECT_EQ(errors.list()[0].place, "cpu");
  EXPECT_EQ(errors.list()[0].message,
            "%5 draw: its numbers are drawn by the step, which only the backends cpu and "
            "interpreter run");
  EXPECT_EQ(errors.list()[4].message,
            "%9 update: its row numbers are values of the step, which only the backends cpu and "
            "interpreter run");
}

TEST(RowNumbers, AreCountedAsComputedValues) {
  const Program program = program_of(kNumberedOps);
  const ProgramStatistics counts = statistics(program);
  EXPECT_EQ(counts.ops, 11u);
  EXPECT_EQ(counts.rows, 3u + 3 + 3 + 4 + 3 + 1);
  EXPECT_EQ(counts.index_bytes, 0u);
}

TEST(RowNumbers, AreDrawnAsOtherOps) {
  const std::string dot = print_dot(program_of(kNumberedOps));
  EXPECT_NE(dot.find("5[label=\"%5 = draw %0 &lt; 4 seed 1 stream 2 : f32[3, 1]\"];"),
            std::string::npos);
  EXPECT_NE(dot.find("9[label=\"%9 = update %3, %7, %5 : f32[3, 2x1]\", style=bold];"),
            std::string::npos);
  EXPECT_NE(dot.find("5->9 ;"), std::string::npos);
}

}  // namespace
}  // namespace vecc::test
