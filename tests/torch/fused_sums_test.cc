// Sums over gathered rows: which are fused, and that they agree in each way of adding.
#include <gtest/gtest.h>

#include "backends/torch/fused_reads.h"
#include "backends/torch/reduce_choice.h"
#include "tests/torch/torch_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

// `%0` has 5 rows of a 2x1; `%1` 6 constant scalars; then the ops given.
std::string text_of_sum(const std::string& dtype, const std::string& ops) {
  std::string text = "vecc program 1 " + dtype + R"( samples 3
parameter "w" [5, 2x1] = {1, -2, 0.5, 3, 0.25, 1.5, -1, 4, 2, 0.125}
%0 = weight "w" : T[5, 2x1]
%1 = fact {2, -1, 0.5, 3, 1, 0.75} : T[6, 1]
)" + ops;
  for (std::size_t at = 0; (at = text.find("T[", at)) != std::string::npos;) {
    text.replace(at, 1, dtype);
  }
  return text;
}

Program parse_sum(const std::string& ops, const std::string& dtype = "f64") {
  auto program = parse_program(text_of_sum(dtype, ops), "sum");
  EXPECT_TRUE(program) << program.error().text();
  return program ? std::move(*program) : Program();
}

// The segment is op `segment`, fused or not; values and gradients agree.
void check(const std::string& ops, ValueId segment, bool fused) {
  SCOPED_TRACE(ops);
  for (const char* dtype : {"f64", "f32"}) {
    const Program program = parse_sum(ops, dtype);
    EXPECT_EQ(libtorch::FusedSums(program, true).is_fused(segment), fused);
    expect_outputs_agree(program);
    expect_gradient_agreement(program);
  }
}

TEST(FusedSums, OfAGather) {
  for (const std::string combination : {"sum", "avg"}) {
    check(R"(%2 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]
%3 = segment %2 [0, 2, 2, 6] )" +
              combination + R"( : T[3, 2x1]
%4 = output %3 [0:3] : T[3, 2x1])",
          3, true);
  }
}

TEST(FusedSums, OfFixedSegments) {
  const std::string gather = "%2 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]\n";
  for (const std::string dimension : {"1", "2"}) {
    check(gather + "%3 = segment %2 [fixed 2 dim " + dimension +
              "] avg : T[3, 2x1]\n%4 = output %3 [0:3] : T[3, 2x1]",
          3, true);
  }
}

TEST(FusedSums, OfScaledRows) {
  for (const std::string sides : {"%1, %2", "%2, %1"}) {
    check(R"(%2 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]
%3 = linear )" +
              sides + R"( : T[6, 2x1]
%4 = segment %3 [0, 2, 2, 6] avg : T[3, 2x1]
%5 = output %4 [0:3] : T[3, 2x1])",
          4, true);
  }
  // Fixed, over dimension 1: factors are reordered with the members.
  check(R"(%2 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]
%3 = linear %1, %2 : T[6, 2x1]
%4 = segment %3 [fixed 2 dim 1] sum : T[3, 2x1]
%5 = output %4 [0:3] : T[3, 2x1])",
        4, true);
  // Without a gather before it.
  check(R"(%2 = gather %1 [0:5] : T[5, 1]
%3 = linear %2, %0 : T[5, 2x1]
%4 = segment %3 [0, 2, 2, 5] sum : T[3, 2x1]
%5 = output %4 [0:3] : T[3, 2x1])",
        4, true);
}

// One row or none: a gather with gaps.
TEST(FusedSums, OfOneMemberAtMost) {
  check(R"(%2 = gather %0 [4, 0, 3] : T[3, 2x1]
%3 = gather %1 [2:5] : T[3, 1]
%4 = linear %2, %3 : T[3, 2x1]
%5 = segment %4 [0, 0, 1, 2, 2, 3, 3] sum : T[6, 2x1]
%6 = gather %5 [0, 1, 2] : T[3, 2x1]
%7 = gather %5 [5, 4, 3] : T[3, 2x1]
%8 = map sum($0, $1) %6, %7 : T[3, 2x1]
%9 = output %8 [0:3] : T[3, 2x1])",
        5, true);
}

TEST(FusedSums, FactorsAreGatheredAndLifted) {
  check(R"(%2 = gather %1 [5, 0] : T[2, 1]
%3 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]
%4 = linear %2 lift(repeat 3), %3 : T[6, 2x1]
%5 = segment %4 [0, 2, 2, 6] sum : T[3, 2x1]
%6 = output %5 [0:3] : T[3, 2x1])",
        5, true);
  check(R"(%2 = gather %1 [3:5] : T[2, 1]
%3 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]
%4 = linear transpose %3, %2 lift(interleave 3) : T[6, 1x2]
%5 = segment %4 [0, 2, 2, 6] sum : T[3, 1x2]
%6 = output %5 [0:3] : T[3, 1x2])",
        5, true);
}

TEST(FusedSums, NotIfAnotherOpReadsTheGather) {
  const std::string gather = "%2 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]\n";
  check(gather + R"(%3 = segment %2 [0, 2, 2, 6] sum : T[3, 2x1]
%4 = segment %2 [0, 2, 4, 6] max : T[3, 2x1]
%5 = map sum($0, $1) %3, %4 : T[3, 2x1]
%6 = output %5 [0:3] : T[3, 2x1])",
        3, false);
  check(gather + R"(%3 = linear %1, %2 : T[6, 2x1]
%4 = segment %3 [0, 2, 2, 6] sum : T[3, 2x1]
%5 = segment %3 [0, 2, 4, 6] elproduct : T[3, 2x1]
%6 = map sum($0, $1) %4, %5 : T[3, 2x1]
%7 = output %6 [0:3] : T[3, 2x1])",
        4, false);
}

// The gather stays, the scaling does not.
TEST(FusedSums, OnlyTheScalingIfTheGatherIsReadTwice) {
  const std::string ops = R"(%2 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]
%3 = linear %1, %2 : T[6, 2x1]
%4 = segment %3 [0, 2, 2, 6] sum : T[3, 2x1]
%5 = segment %2 [0, 2, 4, 6] max : T[3, 2x1]
%6 = map sum($0, $1) %4, %5 : T[3, 2x1]
%7 = output %6 [0:3] : T[3, 2x1])";
  check(ops, 4, true);
  const Program program = parse_sum(ops);
  const libtorch::FusedReads fused(program, {});
  EXPECT_FALSE(fused.is_skipped(2));
  EXPECT_TRUE(fused.is_skipped(3));
  EXPECT_EQ(fused.operands(4), (Operands{2}));
}

TEST(FusedSums, NotOfFactorsThatAreLearned) {
  check(R"(%2 = transform %0 atindex [0] : T[5, 1]
%3 = gather %0 [4, 0, 0, 3, 4] : T[5, 2x1]
%4 = linear %2, %3 : T[5, 2x1]
%5 = segment %4 [0, 2, 2, 5] sum : T[3, 2x1]
%6 = output %5 [0:3] : T[3, 2x1])",
        5, false);
}

TEST(FusedSums, NotOfOtherCombinationsOrForms) {
  check(R"(%2 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]
%3 = segment %2 [0, 2, 4, 6] max : T[3, 2x1]
%4 = output %3 [0:3] : T[3, 2x1])",
        3, false);
  check(R"(%2 = gather %0 [interleave 3 x 2] : T[6, 2x1]
%3 = segment %2 [0, 2, 4, 6] sum : T[3, 2x1]
%4 = output %3 [0:3] : T[3, 2x1])",
        3, false);
}

TEST(FusedSums, PlanNamesRowsAndFactors) {
  const Program program = parse_sum(R"(%2 = gather %0 [4, 0, 0, 3, 4, 1] : T[6, 2x1]
%3 = linear %1, %2 : T[6, 2x1]
%4 = segment %3 [fixed 2 dim 1] sum : T[3, 2x1]
%5 = output %4 [0:3] : T[3, 2x1])");
  const libtorch::FusedReads fused(program, {});
  const libtorch::RowSumPlan plan = fused.sums().plan(4);
  EXPECT_EQ(plan.offsets, (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(plan.rows, (Numbers{4, 3, 0, 4, 0, 1}));
  EXPECT_EQ(plan.factors, (std::vector<double>{2, 3, -1, 1, 0.5, 0.75}));
  EXPECT_EQ(plan.source_rows, 5u);
  for (const ValueId skipped : {1u, 2u, 3u}) EXPECT_TRUE(fused.is_skipped(skipped));
  EXPECT_FALSE(libtorch::FusedSums(program, false).is_fused(4));
}

TEST(FusedSums, OfNothing) {
  check(R"(%2 = gather %0 [4, 4] : T[2, 2x1]
%3 = gather %2 [0:0] : T[0, 2x1]
%4 = segment %3 [0, 0, 0, 0] sum : T[3, 2x1]
%5 = segment %2 [0, 0, 2, 2] sum : T[3, 2x1]
%6 = map sum($0, $1) %4, %5 : T[3, 2x1]
%7 = output %6 [0:3] : T[3, 2x1])",
        5, false);
}

// Long segments beside short and empty ones, many readers of one row: on CUDA they are split.
TEST(FusedSums, LongSegments) {
  for (const DType dtype : {DType::F64, DType::F32}) {
    Program program(dtype);
    const auto values = SharedNumbers::of(random_values(300 * 3, 5));
    const ValueId x = program.weight(*program.add_parameter({"x", 300, Shape::column(3), values}));
    Numbers rows;
    for (std::uint32_t e = 0; e < 9000; ++e) rows.push_back(e % 7 == 0 ? 11 : e * 31 % 300);
    const Numbers offsets = {0, 3, 3, 5000, 5001, 5001, 9000};
    program.set_sample_count(6);
    program.output(program.segment(program.gather(x, Index::list(rows)), Segments::ragged(offsets),
                                   Combination::Avg),
                   Index::slice(0, 6));
    expect_outputs_agree(program);
    expect_gradient_agreement(program);
  }
}

TEST(ChooseReduce, BySizeAndDevice) {
  EXPECT_EQ(libtorch::choose_reduce({100, 10, false}), TorchReduce::Segment);
  EXPECT_EQ(libtorch::choose_reduce({3000, 10, false}), TorchReduce::SpMM);
  EXPECT_EQ(libtorch::choose_reduce({620000, 1, false}), TorchReduce::SpMM);
  EXPECT_EQ(libtorch::choose_reduce({620000, 1, true}), TorchReduce::Segment);
  EXPECT_EQ(libtorch::choose_reduce({620000, 64, true}), TorchReduce::SpMM);
}

TEST(TorchReduce, NamesAreReadBack) {
  for (const TorchReduce reduce :
       {TorchReduce::Auto, TorchReduce::Segment, TorchReduce::Scatter, TorchReduce::SpMM}) {
    EXPECT_EQ(parse_torch_reduce(text_of(reduce)), reduce);
  }
  EXPECT_EQ(parse_torch_reduce("sort"), std::nullopt);
}

}  // namespace
}  // namespace vecc::test
