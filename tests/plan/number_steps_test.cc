// Plans of Programs whose indices are values.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <memory>
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

// Of a table of 7 rows 1,000 draws have 7 numbers at most.
TEST(NumberSteps, SumsOfEqualNumbersAreAsManyAsThereMayBe) {
  const Plan plan = make_plan(parsed(R"(%0 = state "step" = 0 : f64[1, 1]
%1 = draw %0 < 7 seed 7 stream 2 : f64[1000, 1]
%2 = state "table" = 1 : f64[7, 4x1]
%3 = take %2, %1 : f64[1000, 4x1]
%4 = sum_equal %3, %1 : f64[1000, 4x1]
%5 = update %2, %4, %1 : f64[1000, 4x1]
)"));
  ASSERT_TRUE(verify(plan)) << verify(plan).error().text();
  const auto sums = std::ranges::find_if(
      plan.launches, [&](const Launch& launch) { return plan.is_filled(launch.offsets); });
  ASSERT_NE(sums, plan.launches.end());
  EXPECT_EQ(sums->rows, 7u);
}

TEST(NumberSteps, RowsOfOneTableAreFoundOnce) {
  const Plan plan = make_plan(parsed(R"(%0 = state "a" = 3 : f64[6, 1]
%1 = state "b" = 1 : f64[6, 2x1]
%2 = scatter_sum %0, %0 : f64[9, 1]
%3 = scatter_sum %1, %0 : f64[9, 2x1]
%4 = scatter_sum %1, %0 : f64[8, 2x1]
)"),
                              {.keep_values = true});
  ASSERT_TRUE(verify(plan)) << verify(plan).error().text();
  EXPECT_THAT(kinds_of(plan), ElementsAre(Kind::List, Kind::Sort, Kind::Offsets, Kind::Offsets));
}

// Their lengths are those of another run.
TEST(NumberSteps, RowsOfFilledOffsetsStayInTheirOrder) {
  const Plan plan = make_plan(parsed(R"(%0 = state "step" = 0 : f64[1, 1]
%1 = draw %0 < 2000 seed 7 stream 2 : f64[3001, 1]
%2 = fact unit : f64[3001, 1]
%3 = scatter_sum %2, %1 : f64[2000, 1]
%4 = update %0, %0 : f64[1, 1]
)"),
                              {.keep_values = true});
  ASSERT_TRUE(verify(plan)) << verify(plan).error().text();
  EXPECT_TRUE(std::ranges::any_of(
      plan.launches, [&](const Launch& launch) { return plan.is_filled(launch.offsets); }));
  for (const Launch& launch : plan.launches) EXPECT_EQ(launch.order, kNone);
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
  expect_broken([](Plan& plan) { plan.number_steps[3].before = 9999; }, "behind a step");
  expect_broken([](Plan& plan) { plan.number_steps[0].from.buffer = 9999; }, "no such buffer");
}

// A step that sums rows by their numbers in each way, and updates them.
const std::string kSums = R"(%0 = state "step" = 0 : f64[1, 1]
%1 = draw %0 < 90 seed 7 stream 2 : f64[30, 1]
%2 = state "table" = 1 : f64[90, 4x1]
%3 = take %2, %1 : f64[30, 4x1]
%4 = map elproduct($0, $0) %3 : f64[30, 4x1]
%5 = sum_equal %4, %1 : f64[30, 4x1]
%6 = map sum($0, $1) %3, %5 : f64[30, 4x1]
%7 = update %2, %6, %1 : f64[30, 4x1]
%8 = scatter_sum %4, %1 : f64[90, 4x1]
%9 = map exp($0) %8 : f64[90, 4x1]
)";

class BrokenNumberSteps : public testing::Test {
 protected:
  Plan plan_ = [] {
    PlanOptions options;
    options.keep_values = true;
    return make_plan(parsed(kSums), options);
  }();

  NumberStep& step(Kind kind) {
    return *std::ranges::find(plan_.number_steps, kind, &NumberStep::kind);
  }
  void remove(Kind kind) {
    std::erase_if(plan_.number_steps, [&](const NumberStep& of) { return of.kind == kind; });
  }
  // Expects verify() to refuse the Plan.
  void expect_refused(const std::string& error) {
    const auto verified = verify(plan_);
    ASSERT_FALSE(verified);
    EXPECT_THAT(verified.error().text(), HasSubstr(error));
  }
};

TEST_F(BrokenNumberSteps, NoneIsBrokenAtFirst) {
  const auto verified = verify(plan_);
  EXPECT_TRUE(verified) << verified.error().text();
}

TEST_F(BrokenNumberSteps, AListIsFilledBeforeItIsRead) {
  remove(Kind::List);
  expect_refused("is no list that a step before has filled");
  remove(Kind::Sort);
  remove(Kind::Offsets);
  remove(Kind::Store);
  expect_refused("no step before has filled its list");
}

TEST_F(BrokenNumberSteps, ListsAreSortedBeforeTheirOrderIsRead) {
  remove(Kind::Sort);
  expect_refused("is no list that a step before has sorted");
  remove(Kind::Offsets);
  remove(Kind::Store);
  expect_refused("that no step before has filled as such");
}

TEST_F(BrokenNumberSteps, OffsetsAreFilledBeforeTheyAreRead) {
  remove(Kind::Offsets);
  expect_refused("that no step before has filled as such");
}

TEST_F(BrokenNumberSteps, AListIsSortedBehindWhatFillsIt) {
  std::swap(step(Kind::List), step(Kind::Sort));
  expect_refused("is no list that a step before has filled");
}

TEST_F(BrokenNumberSteps, OffsetsAreOfAllNumbers) {
  plan_.arrays[step(Kind::Offsets).row_offsets] =
      std::make_shared<const std::vector<std::uint32_t>>(5);
  expect_refused("offsets of 4 numbers, expected 90 or more");
}

TEST_F(BrokenNumberSteps, OffsetsAreOfAllRows) {
  plan_.arrays[step(Kind::Offsets).row_offsets] =
      std::make_shared<const std::vector<std::uint32_t>>(91, 3);
  expect_refused("offsets of 3 rows, expected 30");
}

TEST_F(BrokenNumberSteps, StepsStandBeforeTheLaunchesOfTheirLevel) {
  for (NumberStep& of : plan_.number_steps) {
    if (of.kind != Kind::Draw) of.before = static_cast<std::uint32_t>(plan_.launches.size());
  }
  expect_refused("no step before has filled");
}

TEST_F(BrokenNumberSteps, StepsAreOfTheStageOfTheirLaunches) {
  step(Kind::List).stage = 1;
  expect_refused("of stage 1, level ");
}

TEST_F(BrokenNumberSteps, StepsAreInTheOrderOfTheirLevels) {
  step(Kind::Draw).level = 1000;
  expect_refused("is not the first one of that level");
}

TEST_F(BrokenNumberSteps, UpdatesStoreInParametersAndStates) {
  step(Kind::Store).to = step(Kind::Store).from;
  expect_refused("which is no parameter or state");
}

TEST_F(BrokenNumberSteps, UpdatesComeBehindWhatReadsTheirRows) {
  NumberStep store = step(Kind::Store);
  Launch late = plan_.launches.front();
  for (const Launch& launch : plan_.launches) {
    for (const AccessBinding& access : launch.accesses) {
      if (access.buffer == store.to.buffer) late = launch;
    }
  }
  late.level = kNone;
  plan_.launches.push_back(late);
  expect_refused("that were updated before");
}

TEST_F(BrokenNumberSteps, NumbersAreRowsOfAllThatTheyAreReadFrom) {
  for (NumberStep::Use& use : step(Kind::List).uses) use.rows = 1000000;
  expect_refused(" 90");
  step(Kind::List).uses.clear();
  expect_refused("checks its numbers for no op");
}

TEST_F(BrokenNumberSteps, NumbersAreRowsOfWhatIsUpdated) {
  step(Kind::Store).to.rows = 89;
  expect_refused("stores by numbers below 90 into 89 rows");
}

TEST_F(BrokenNumberSteps, RowsHaveNumbers) {
  step(Kind::Store).row_elements = 0;
  expect_refused("rows of 0 numbers");
}

TEST_F(BrokenNumberSteps, AllRowsOfADrawAreDrawn) {
  step(Kind::Draw).to.rows = 1;
  expect_refused("draws 1 rows, expected 30");
}

TEST_F(BrokenNumberSteps, DrawsAreStoredInTheArena) {
  step(Kind::Draw).to = step(Kind::Store).to;
  expect_refused("which is not of the arena");
}

TEST_F(BrokenNumberSteps, AListHasAsManyNumbersAsItsStepReads) {
  step(Kind::List).from.rows = 29;
  expect_refused("lists 29 numbers, expected 30");
}

TEST_F(BrokenNumberSteps, EachArrayIsFilledOnce) {
  step(Kind::Sort).arrays.ranks = step(Kind::Sort).arrays.order;
  expect_refused("again");
}

// Parts of a concat of which one is drawn.
const std::string kLent = R"(%0 = state "step" = 3 : f64[1, 1]
%1 = state "a" = 3 : f64[6, 1]
%2 = fact {0, 1, 2, 3, 4, 5} : f64[6, 1]
%3 = map sum($0, 1) %0 : f64[1, 1]
%4 = map sum($0, $1) %2, %1 : f64[6, 1]
%5 = draw %3 < 12 seed 7 stream 2 : f64[3, 1]
%6 = fact {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21} : f64[12, 1]
%7 = take %6, %4 : f64[6, 1]
%8 = gather %4 [0:3] : f64[3, 1]
%9 = map elproduct(sum($0, 0.5), 2) %8 : f64[3, 1]
%10 = concat %9, %5 : f64[6, 1]
%11 = map sum($0, $1) %7, %10 : f64[6, 1]
)";

TEST(NumberSteps, WhatIsDrawnTakesNoPlaceOfWhatALaterStepReads) {
  Plan plan = make_plan(parsed(kLent));
  ASSERT_TRUE(verify(plan)) << verify(plan).error().text();
  const auto place_of = [&](Kind kind, const auto& rows) {
    const auto found = std::ranges::find(plan.number_steps, kind, &NumberStep::kind);
    return std::invoke(rows, *found).buffer;
  };
  const BufferIndex drawn = place_of(Kind::Draw, &NumberStep::to);
  const BufferIndex listed = place_of(Kind::List, &NumberStep::from);
  ASSERT_NE(drawn, listed);
  plan.buffers[drawn].offset = plan.buffers[listed].offset;
  const auto verified = verify(plan);
  ASSERT_FALSE(verified);
  EXPECT_THAT(verified.error().text(), HasSubstr("overlaps buffer"));
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
