// No pass folds, prunes or reorders through indices that are values of the step.
#include <gtest/gtest.h>

#include <algorithm>

#include "optimizer/compare/compare_programs.h"
#include "optimizer/passes/passes.h"
#include "tests/optimizer/pass_case.h"
#include "vecc/cost.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

// Everything here could be folded, or is equal to something, or is not read: rows 1 and 3 of the
// table, row 2 of what is taken, half of the draws; and all of it is constant but for the state.
const std::string kDrawnStep = R"(vecc program 1 f64 samples 2
parameter "w" [3, 2x1] = {1, 2, 3, 4, 5, 6}
%0 = state "step" = 0 : f64[1, 1]
%1 = fact {2} : f64[1, 1]
%2 = draw %1 < 3 seed 7 stream 2 : f64[4, 1]
%3 = draw %0 < 3 seed 7 stream 2 : f64[4, 1]
%4 = draw %0 < 3 seed 7 stream 2 : f64[4, 1]
%5 = concat %3, %4 : f64[8, 1]
%6 = fact {1, 2, 3, 4, 1, 2} : f64[3, 2x1]
%7 = take %6, %2 : f64[4, 2x1]
%8 = weight "w" : f64[3, 2x1]
%9 = transform %8 tanh : f64[3, 2x1]
%10 = gather %9 [2, 0, 2] : f64[3, 2x1]
%11 = take %10, %5 : f64[8, 2x1]
%12 = gather %11 [0, 1, 4, 5] : f64[4, 2x1]
%13 = map elproduct($0, $1) %12, %7 : f64[4, 2x1]
%14 = sum_equal %13, %3 : f64[4, 2x1]
%15 = scatter_sum %13, %3 : f64[3, 2x1]
%16 = gather %14 [0] : f64[1, 2x1]
%17 = gather %15 [2] : f64[1, 2x1]
%18 = concat %16, %17 : f64[2, 2x1]
%19 = output %18 [0:2] : f64[2, 2x1]
%20 = update %8, %14, %3 : f64[4, 2x1]
%21 = map sum($0, 1) %0 : f64[1, 1]
%22 = update %0, %21 : f64[1, 1]
)";

std::vector<std::string> value_ops(const Program& program) {
  std::vector<std::string> ops;
  for (const Op& op : program.ops()) {
    const bool is_one = op.kind() == OpKind::Draw || op.kind() == OpKind::Take ||
                        op.kind() == OpKind::SumEqual || op.kind() == OpKind::ScatterSum ||
                        (op.kind() == OpKind::Update && op.operands.size() == 3);
    if (is_one) {
      ops.push_back(std::string(text_of(op.kind())) + " " + std::to_string(op.rows) + " of " +
                    std::to_string(program.op(op.operands[0]).rows));
    }
  }
  std::ranges::sort(ops);
  return ops;
}

const std::vector<std::string> kDrawnOps{"draw 4 of 1",        "draw 4 of 1",      "draw 4 of 1",
                                         "scatter_sum 3 of 4", "sum_equal 4 of 4", "take 4 of 3",
                                         "take 8 of 3",        "update 4 of 3"};

void expect_kept(const Program& before, const Program& after) {
  EXPECT_EQ(value_ops(after), kDrawnOps);
  opt::CompareOptions options;
  options.gradients = false;
  const auto compared = opt::compare_programs(before, after, options);
  ASSERT_TRUE(compared) << compared.error().text();
  EXPECT_TRUE(compared->equal) << compared->difference;
}

TEST(OpaqueRowNumbers, EachPassKeepsTheirOps) {
  const Program program = parse_program(kDrawnStep, "p.vecc").value();
  ASSERT_TRUE(verify(program));
  ASSERT_EQ(value_ops(program), kDrawnOps);
  for (const PassInfo& pass : passes()) {
    SCOPED_TRACE(pass.name);
    OptimizeOptions options;
    options.passes = {std::string(pass.name)};
    options.verify_each = true;
    const auto made = optimize(program, options);
    if (made) {
      expect_kept(program, *made);
    } else {
      EXPECT_NE(made.error().text().find("indices that are values"), std::string::npos);
    }
  }
}

// Gradients, too, of a Program without updates.
TEST(OpaqueRowNumbers, EachPassKeepsTheGradientsThroughThem) {
  std::string text = kDrawnStep.substr(0, kDrawnStep.find("%20 = "));
  const std::string state = "state \"step\" = 0";
  text.replace(text.find(state), state.size(), "weight \"step\"");
  text.insert(text.find("%0"), "parameter \"step\" [1, 1] = {3}\n");
  const Program program = parse_program(text, "p.vecc").value();
  std::vector<std::string> ops = kDrawnOps;
  ops.pop_back();
  ASSERT_EQ(value_ops(program), ops);
  for (const PassInfo& pass : passes()) {
    SCOPED_TRACE(pass.name);
    if (!pass.differentiated) continue;
    const Program after = run_passes(program, {std::string(pass.name)});
    EXPECT_EQ(value_ops(after), ops);
    const auto compared = opt::compare_programs(program, after, {});
    ASSERT_TRUE(compared) << compared.error().text();
    EXPECT_TRUE(compared->equal) << compared->difference;
  }
}

TEST(OpaqueRowNumbers, EveryLevelKeepsTheirOps) {
  const Program program = parse_program(kDrawnStep, "p.vecc").value();
  for (const std::uint32_t level : {0u, 1u, 2u}) {
    SCOPED_TRACE(level);
    OptimizeOptions options;
    options.level = level;
    options.verify_each = true;
    const auto optimized = optimize(program, options);
    ASSERT_TRUE(optimized) << optimized.error().text();
    expect_kept(program, *optimized);
  }
}

// Which rows of a table are needed is not known.
TEST(OpaqueRowNumbers, WhatTheyReadIsMadeWhole) {
  const Program program = parse_program(R"(vecc program 1 f64 samples 1
%0 = fact {2, 4} : f64[2, 1]
%1 = fact {1, 2, 3, 4, 5} : f64[5, 1]
%2 = transform %1 tanh : f64[5, 1]
%3 = take %2, %0 : f64[2, 1]
%4 = gather %3 [0:1] : f64[1, 1]
%5 = output %4 [0:1] : f64[1, 1]
)",
                                        "p.vecc")
                              .value();
  const Program after = run_passes(program, {"dedup-rows", "iso-compress", "simplify-gathers"});
  EXPECT_EQ(fingerprint(after), fingerprint(program));
}

// Of one step and key they are equal numbers, whichever op draws them.
TEST(OpaqueRowNumbers, EqualDrawsAreEqualRows) {
  const auto rows_left = [](const std::string& key) {
    const Program program = parse_program(
                                "vecc program 1 f64 samples 8\n"
                                "%0 = state \"step\" = 0 : f64[1, 1]\n"
                                "%1 = draw %0 < 99 seed 1 stream 2 : f64[4, 1]\n"
                                "%2 = draw %0 < " +
                                    key +
                                    " : f64[4, 1]\n"
                                    "%3 = concat %1, %2 : f64[8, 1]\n"
                                    "%4 = transform %3 tanh : f64[8, 1]\n"
                                    "%5 = output %4 [0:8] : f64[8, 1]\n",
                                "p.vecc")
                                .value();
    const Program after = run_passes(program, {"iso-compress"});
    const auto found = std::ranges::find(after.ops(), OpKind::Transform, &Op::kind);
    EXPECT_NE(found, after.ops().end());
    return (*found).rows;
  };
  EXPECT_EQ(rows_left("99 seed 1 stream 2"), 4u);
  EXPECT_EQ(rows_left("98 seed 1 stream 2"), 8u);
  EXPECT_EQ(rows_left("99 seed 2 stream 2"), 8u);
  EXPECT_EQ(rows_left("99 seed 1 stream 3"), 8u);
}

// What row numbers are taken from holds row numbers.
TEST(OpaqueRowNumbers, AreComparedByTheirOwnValues) {
  const Program program = parse_program(R"(vecc program 1 f64 samples 2
parameter "numbers" [3, 1] = {2, 0, 1}
parameter "w" [3, 1]
%0 = weight "numbers" : f64[3, 1]
%1 = fact {1, 1} : f64[2, 1]
%2 = take %0, %1 : f64[2, 1]
%3 = weight "w" : f64[3, 1]
%4 = take %3, %2 : f64[2, 1]
%5 = output %4 [0:2] : f64[2, 1]
)",
                                        "p.vecc")
                              .value();
  const auto compared = opt::compare_programs(program, program);
  ASSERT_TRUE(compared) << compared.error().text();
  EXPECT_TRUE(compared->equal) << compared->difference;
}

TEST(OpaqueRowNumbers, KeysOfDrawsTellProgramsApart) {
  const auto with = [](const std::string& draw) {
    return fingerprint(
        parse_program("vecc program 1 f64 samples 0\n%0 = fact {2} : f64[1, 1]\n" + draw + "\n",
                      "p.vecc")
            .value());
  };
  const Fingerprint first = with("%1 = draw %0 < 9 seed 1 stream 2 : f64[3, 1]");
  EXPECT_EQ(with("%1 = draw %0 < 9 seed 1 stream 2 : f64[3, 1]"), first);
  EXPECT_NE(with("%1 = draw %0 < 8 seed 1 stream 2 : f64[3, 1]"), first);
  EXPECT_NE(with("%1 = draw %0 < 9 seed 2 stream 2 : f64[3, 1]"), first);
  EXPECT_NE(with("%1 = draw %0 < 9 seed 1 stream 3 : f64[3, 1]"), first);
  EXPECT_NE(with("%1 = draw %0 < 9 seed 1 stream 2 : f64[4, 1]"), first);
}

// Work goes with the rows that are read, not with the table.
TEST(OpaqueRowNumbers, CostWhatTheyMove) {
  const auto work_of_table = [](const std::string& rows) {
    return work_of(parse_program("vecc program 1 f64 samples 0\nparameter \"w\" [" + rows +
                                     ", 8x1]\n%0 = weight \"w\" : f64[" + rows +
                                     ", 8x1]\n%1 = fact {0, 1} : f64[2, 1]\n"
                                     "%2 = take %0, %1 : f64[2, 8x1]\n"
                                     "%3 = sum_equal %2, %1 : f64[2, 8x1]\n"
                                     "%4 = update %0, %3, %1 : f64[2, 8x1]\n",
                                 "p.vecc")
                       .value());
  };
  const Work few = work_of_table("10");
  const Work many = work_of_table("1000000");
  EXPECT_EQ(few.bytes, many.bytes);
  EXPECT_EQ(few.launches, many.launches);
  EXPECT_GT(few.bytes, 2.0 * 2 * 8 * 8);
}

}  // namespace
}  // namespace vecc::test
