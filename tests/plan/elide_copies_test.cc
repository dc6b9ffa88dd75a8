// Rows that are copied side by side are read where they are, on a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "src/plan/launch_layout.h"
#include "src/plan/make_launches.h"

namespace vecc::test {
namespace {

// A concat of so many weights of `rows` rows, and tanh of it.
struct Sources {
  Program program;
  ValueId all = 0;
  ValueId function = 0;
};
Sources make_sources(std::uint32_t count, std::uint32_t rows = 1) {
  Sources made;
  made.program.set_sample_count(1);
  Operands parts;
  for (std::uint32_t p = 0; p < count; ++p) {
    const auto weight = made.program.add_parameter(
        {.name = "w" + std::to_string(p), .rows = rows, .shape = Shape(3, 1), .values = {}});
    EXPECT_TRUE(weight);
    parts.push_back(made.program.weight(*weight));
  }
  const auto all = made.program.add(ConcatOp{}, parts);
  EXPECT_TRUE(all);
  made.all = *all;
  TransformationSpec tanh;
  tanh.id = Transformation::Tanh;
  made.function = made.program.transform(made.all, tanh);
  made.program.output(made.program.gather(made.function, Index::slice(0, 1)), Index::slice(0, 1));
  return made;
}

Plan gpu_plan(const Program& program, std::vector<ValueId> kept = {}) {
  PlanOptions options{.target = default_gpu()};
  options.kept = std::move(kept);
  Plan plan = make_plan(program, options);
  const auto verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  return plan;
}

std::size_t launches_of(const Plan& plan, std::uint32_t level) {
  return static_cast<std::size_t>(std::ranges::count(plan.launches, level, &Launch::level));
}

TEST(ElideCopies, ALaunchASource) {
  const Plan plan = gpu_plan(make_sources(4).program);
  EXPECT_EQ(plan.launches.size(), 4u);
  EXPECT_EQ(plan.kernels.size(), 1u);
  EXPECT_EQ(launches_of(plan, 1), 4u);
  for (const Launch& launch : plan.launches) EXPECT_EQ(launch.rows, 1u);
}

TEST(ElideCopies, CopiesThatAreKeptStay) {
  const Sources sources = make_sources(4);
  const Plan plan = gpu_plan(sources.program, {sources.all});
  EXPECT_EQ(plan.launches.size(), 8u);
  EXPECT_EQ(launches_of(plan, 1), 8u);
}

// A reader through an index reads the copies.
TEST(ElideCopies, CopiesThatOthersReadStay) {
  Sources sources = make_sources(3);
  const ValueId turned =
      sources.program.gather(sources.all, Index::list(std::vector<std::uint32_t>{2, 0, 1, 1}));
  TransformationSpec sigmoid;
  sigmoid.id = Transformation::Sigmoid;
  const ValueId other = sources.program.transform(turned, sigmoid);
  const Plan plan = gpu_plan(sources.program, {other});
  EXPECT_EQ(launches_of(plan, 1), 6u);  // copies, and tanh
  EXPECT_EQ(launches_of(plan, 2), 1u);
}

TEST(ElideCopies, ManySourcesOrRowsAreCopied) {
  EXPECT_EQ(gpu_plan(make_sources(17).program).launches.size(), 18u);
  EXPECT_EQ(gpu_plan(make_sources(2, 40).program).launches.size(), 3u);
}

// On a processor a level costs nothing.
TEST(ElideCopies, NotOnAProcessor) {
  EXPECT_EQ(make_plan(make_sources(4).program).launches.size(), 5u);
}

}  // namespace
}  // namespace vecc::test
