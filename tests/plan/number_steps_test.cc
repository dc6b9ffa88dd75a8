// Plans of Programs whose indices are values.
#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/plan/analysis/equal_rows.h"
#include "tests/program/random_program.h"
#include "vecc/plan.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using Kind = NumberStep::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

Program parsed(const std::string& ops) {
  auto program = parse_program("vecc program 1 f64 samples 0\n" + ops, "p.vecc");
  if (!program) throw std::logic_error(program.error().text());
  return *program;
}

// A step of sums of rows that are drawn.
const std::string kStep = R"(%0 = state "step" = 0 : f64[1, 1]
%1 = draw %0 < 90 seed 7 stream 2 : f64[30, 1]
%2 = state "table" = 1 : f64[90, 40x1]
%3 = take %2, %1 : f64[30, 40x1]
%4 = map elproduct($0, $0) %3 : f64[30, 40x1]
%5 = sum_equal %4, %1 : f64[30, 40x1]
%6 = map sum($0, $1) %3, %5 : f64[30, 40x1]
%7 = update %2, %6, %1 : f64[30, 40x1]
%8 = map sum($0, 1) %0 : f64[1, 1]
%9 = update %0, %8 : f64[1, 1]
)";

std::vector<Kind> kinds_of(const Plan& plan) {
  std::vector<Kind> kinds;
  for (const NumberStep& step : plan.number_steps) kinds.push_back(step.kind);
  return kinds;
}

TEST(NumberSteps, NumbersOfSeveralOpsAreListedAndSortedOnce) {
  const Program program = parsed(kStep);
  const Plan plan = make_plan(program);
  EXPECT_THAT(kinds_of(plan), ElementsAre(Kind::Draw, Kind::List, Kind::Sort, Kind::Store));
  ASSERT_TRUE(verify(plan)) << verify(plan).error().text() << text_of(plan, program);
  // What reads the rows loads them through the list, no kernel copies them.
  const std::string text = text_of(plan, program);
  EXPECT_THAT(text, HasSubstr("draw 30 rows of buffer "));
  EXPECT_THAT(text, HasSubstr("\nsort the numbers [array "));
  EXPECT_TRUE(std::ranges::all_of(plan.kernels, [](const Kernel& kernel) {
    return std::ranges::any_of(
        kernel.nodes, [](const KernelNode& node) { return node.kind != KernelNode::Kind::Load; });
  })) << text;
}

TEST(NumberSteps, WhatUpdatesComesBehindAllChecks) {
  const Program program = parsed(R"(%0 = state "a" = 0 : f64[3, 1]
%1 = map sum($0, 1) %0 : f64[3, 1]
%2 = update %0, %1 : f64[3, 1]
%3 = state "b" = 0 : f64[9, 1]
%4 = fact {1, 2, 3} : f64[3, 1]
%5 = map exp($0) %4 : f64[3, 1]
%6 = map sum($0, $1) %5, %4 : f64[3, 1]
%7 = update %3, %6, %4 : f64[3, 1]
)");
  const Plan plan = make_plan(program);
  EXPECT_THAT(kinds_of(plan), ElementsAre(Kind::List, Kind::Sort, Kind::Compare, Kind::Store));
  const std::uint32_t compared = plan.number_steps[2].before;
  for (std::uint32_t l = 0; l < compared; ++l) {
    const Launch& launch = plan.launches[l];
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const bool is_state = plan.buffers[launch.accesses[a].buffer].kind == PlanBuffer::Kind::State;
      EXPECT_FALSE(is_state && plan.kernels[launch.kernel].accesses[a].store) << l;
    }
  }
  EXPECT_EQ(plan.number_steps[3].before, plan.launches.size());
}

TEST(NumberSteps, PlansOfRandomProgramsVerify) {
  for (std::uint64_t seed = 1000; seed < 1300; ++seed) {
    RandomSource random(seed);
    const Program p = random_row_number_program(random, 1 + random.below(40));
    for (const bool fuse : {true, false}) {
      for (const bool keep : {true, false}) {
        PlanOptions options;
        options.keep_values = keep;
        options.fuse = fuse;
        const Plan plan = make_plan(p, options);
        const auto verified = verify(plan);
        ASSERT_TRUE(verified) << verified.error().text() << "\n" << text_of(plan, p);
      }
    }
  }
}

TEST(NumberSteps, BrokenOnesAreFound) {
  const Program program = parsed(kStep);
  const auto expect_broken = [&](auto break_plan, const std::string& error) {
    Plan plan = make_plan(program);
    break_plan(plan);
    const auto verified = verify(plan);
    ASSERT_FALSE(verified);
    EXPECT_THAT(verified.error().text(), HasSubstr(error));
  };
  expect_broken([](Plan& plan) { plan.number_steps[1].arrays.list = kNone; }, "no such arrays");
  expect_broken([](Plan& plan) { plan.filled.clear(); }, "no such arrays");
  expect_broken([](Plan& plan) { std::swap(plan.number_steps[0], plan.number_steps[1]); },
                "never written");
  expect_broken([](Plan& plan) { plan.number_steps[3].to.first = 1; }, "ends behind its buffer");
  expect_broken([](Plan& plan) { plan.number_steps[0].before = 9999; }, "behind a step");
  expect_broken([](Plan& plan) { plan.number_steps[0].from.buffer = 9999; }, "no such buffer");
}

TEST(NumberSteps, EqualRowsAreFoundWhereNumbersMakeThem) {
  const Program program = parsed(kStep + R"(%10 = fact {0.5} : f64[1, 1]
%11 = map elproduct($0, $1) %6, %10 : f64[30, 40x1]
%12 = gather %6 [repeat 1 x 30] : f64[30, 40x1]
%13 = map sum($0, $1) %11, %12 : f64[30, 40x1]
%14 = draw %0 < 90 seed 8 stream 2 : f64[30, 1]
%15 = take %2, %14 : f64[30, 40x1]
%16 = transform %11 tanh : f64[30, 40x1]
)");
  EXPECT_TRUE(has_equal_rows(program, 6, 1));
  EXPECT_TRUE(has_equal_rows(program, 16, 1));
  EXPECT_FALSE(has_equal_rows(program, 13, 1));
  EXPECT_FALSE(has_equal_rows(program, 15, 1));
  EXPECT_TRUE(has_equal_rows(program, 15, 14));
  EXPECT_FALSE(has_equal_rows(program, 1, 1));  // 0 and -0 are one number
}

}  // namespace
}  // namespace vecc::test
