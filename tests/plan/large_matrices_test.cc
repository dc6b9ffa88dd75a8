// Matrices that several blocks of a GPU share: their products and gradients stand alone, and each
// part of each row is one block's.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "backends/native/gradient_program.h"
#include "src/kernel/schedule/outer_products.h"
#include "src/kernel/schedule/schedule_kernel.h"
#include "src/plan/launch_layout.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kMatrices = 2;
constexpr std::uint32_t kProductRows = 100;  // of type 1 the last three

ValueId fact(Program& program, std::uint32_t rows, Shape shape) {
  return program.fact(std::vector<double>(rows * shape.size(), 0.5), rows, shape);
}

// tanh(W_t x), of matrices that are learned.
Program products(Shape shape) {
  Program program;
  program.set_sample_count(1);
  std::vector<std::uint32_t> types(kProductRows, 0);
  std::fill(types.end() - 3, types.end(), 1u);
  auto values = SharedNumbers::repeated(kMatrices * shape.size(), 0.1);
  const auto parameter = program.add_parameter({"w", kMatrices, shape, values});
  const ValueId w = program.gather(program.weight(*parameter), Index::list(std::move(types)));
  const ValueId product =
      program.linear(w, fact(program, kProductRows, Shape::column(shape.cols())));
  const ValueId tanh = program.map(*parse_expr("tanh($0)", "test"), std::vector{product});
  program.output(program.gather(tanh, Index::slice(0, 1)), Index::slice(0, 1));
  return program;
}

KernelSchedule schedule_of(const Plan& plan, const Launch& launch) {
  return schedule_widest(plan.kernels[launch.kernel]);
}

TEST(LargeMatrices, StandAlone) {
  const auto launches = [](Shape shape, const PlanOptions& options) {
    return make_plan(products(shape), options).launches.size();
  };
  EXPECT_EQ(launches(Shape(300, 200), PlanOptions{.target = default_gpu()}), 2u);
  EXPECT_EQ(launches(Shape(300, 200), {}), 1u);  // a CPU's cache holds one
  EXPECT_EQ(launches(Shape(64, 64), PlanOptions{.target = default_gpu()}), 1u);
  EXPECT_TRUE(is_large_matrix(Shape(129, 128)));
  EXPECT_FALSE(is_large_matrix(Shape(128, 128)));
  EXPECT_FALSE(is_large_matrix(Shape(2, 4096)));
}

TEST(LargeMatrices, BlocksHavePartsOfThem) {
  const Plan plan = make_plan(products(Shape(300, 200)), PlanOptions{.target = default_gpu()});
  const Launch& launch = plan.launches.front();
  const LaunchSchedule rows = LaunchSchedules(plan).of(launch);
  const KernelSchedule& schedule = *rows.schedule;
  EXPECT_EQ(schedule.parts, 3u);
  const auto blocks = cut_blocks(plan, launch, rows);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const BlockRows& block : blocks) {
    EXPECT_LE(block.end - block.begin, schedule.product->rows);
    EXPECT_EQ(block.type / schedule.parts, block.begin < kProductRows - 3 ? 0u : 1u);
    for (std::uint32_t row = block.begin; row < block.end; ++row) {
      EXPECT_TRUE(seen.emplace(row, block.type % schedule.parts).second);
    }
  }
  EXPECT_EQ(seen.size(), kProductRows * schedule.parts);
  // One of many rows, then one of few.
  EXPECT_GT(blocks[0].end - blocks[0].begin, blocks[1].end - blocks[1].begin);
  EXPECT_GT(blocks[2].end - blocks[2].begin, blocks[1].end - blocks[1].begin);
}

TEST(LargeMatrices, GradientsHaveTilesAndNoPieces) {
  auto both = native::make_gradient_program(products(Shape(300, 200)));
  ASSERT_TRUE(both);
  PlanOptions options{.target = default_gpu()};
  for (const auto& gradient : both->gradients) {
    if (gradient) options.kept.push_back(*gradient);
  }
  const Plan plan = make_plan(both->program, options);
  const auto sums_products = [&](const Launch& launch) {
    return plan.kernels[launch.kernel].segments != KernelSegments::None &&
           schedule_of(plan, launch).parts > 1;
  };
  ASSERT_EQ(std::ranges::count_if(plan.launches, sums_products), 1);
  const Launch& sum = *std::ranges::find_if(plan.launches, sums_products);
  EXPECT_EQ(sum.rows, kMatrices);
  EXPECT_EQ(schedule_of(plan, sum).parts, 6u);  // 3 x 2 tiles
}

}  // namespace
}  // namespace vecc::test
