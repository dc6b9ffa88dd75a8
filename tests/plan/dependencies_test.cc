// Which launches wait for which: against every pair of launches looked at by itself.
#include "src/plan/analysis/dependencies.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/plan/analysis/launch_rows.h"
#include "src/plan/launch_layout.h"
#include "tests/program/random_program.h"
#include "tests/program/recursive_levels.h"

namespace vecc::test {
namespace {

struct Range {
  std::uint32_t space;
  std::uint64_t first;
  std::uint64_t last;
  bool store;
};

// What an access may reach: row i of loop step i, row 0, or what a list or a type may name.
std::uint64_t rows_of(const Plan& plan, const Launch& launch, std::size_t access) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  const std::uint64_t all = launch.accesses[access].rows;
  if (kernel.accesses[access].map == RowMap::One) return 1;
  if (kernel.accesses[access].map != RowMap::Direct) return all;
  return std::min(all, counted_rows(plan, kernel, launch, kernel.accesses[access].space));
}

std::vector<Range> ranges_of(const Plan& plan, const Launch& launch) {
  std::vector<Range> ranges;
  const Kernel& kernel = plan.kernels[launch.kernel];
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const AccessBinding& access = launch.accesses[a];
    const PlanBuffer& buffer = plan.buffers[access.buffer];
    const bool is_arena = buffer.kind == PlanBuffer::Kind::Arena;
    const std::uint64_t first = (is_arena ? buffer.offset : 0) + access.first;
    ranges.push_back({is_arena ? kNone : access.buffer, first,
                      first + rows_of(plan, launch, a) * kernel.accesses[a].shape.size(),
                      kernel.accesses[a].store});
  }
  return ranges;
}

bool conflict(const Plan& plan, const Launch& a, const Launch& b) {
  for (const Range& x : ranges_of(plan, a)) {
    for (const Range& y : ranges_of(plan, b)) {
      const bool overlap = x.space == y.space && x.first < y.last && y.first < x.last;
      if (overlap && (x.store || y.store)) return true;
    }
  }
  return false;
}

// Every conflict is a path of dependencies, and every dependency a conflict.
void expect_exact(const Plan& plan) {
  const auto before = launch_dependencies(plan);
  ASSERT_EQ(before.size(), plan.launches.size());
  std::vector<std::vector<bool>> waits(before.size(), std::vector<bool>(before.size(), false));
  for (std::uint32_t l = 0; l < before.size(); ++l) {
    for (const std::uint32_t other : before[l]) {
      ASSERT_LT(other, l);
      EXPECT_TRUE(conflict(plan, plan.launches[other], plan.launches[l])) << other << ", " << l;
      waits[l][other] = true;
      for (std::uint32_t m = 0; m < other; ++m) {
        if (waits[other][m]) waits[l][m] = true;
      }
    }
    for (std::uint32_t other = 0; other < l; ++other) {
      const bool same_stage = plan.launches[other].stage == plan.launches[l].stage;
      if (same_stage && conflict(plan, plan.launches[other], plan.launches[l])) {
        EXPECT_TRUE(waits[l][other]) << l << " does not wait for " << other;
      }
    }
  }
}

TEST(Dependencies, are_conflicts_and_all_of_them) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomSource random(seed);
    const Program program = random_program(random, 40);
    expect_exact(make_plan(program));
    PlanOptions unfused;
    unfused.fuse = false;
    expect_exact(make_plan(program, unfused));
  }
}

// Where a level's launches run at once, memory that is used again adds no level.
TEST(Dependencies, go_from_level_to_level) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomSource random(seed);
    const Program program = random_program(random, 40);
    PlanOptions options{.target = default_gpu()};
    options.target.cache_bytes = 0;
    const Plan reused = make_plan(program, options);
    expect_exact(reused);
    options.target = default_gpu();
    const Plan apart = make_plan(program, options);
    for (const Plan* plan : {&reused, &apart}) {
      const auto verified = verify(*plan);
      ASSERT_TRUE(verified) << verified.error().text();
      const auto before = launch_dependencies(*plan);
      for (std::size_t l = 0; l < before.size(); ++l) {
        for (const std::uint32_t other : before[l]) {
          EXPECT_LT(plan->launches[other].level, plan->launches[l].level) << other << ", " << l;
        }
      }
    }
    EXPECT_LE(reused.arena_elements, apart.arena_elements);
    EXPECT_EQ(reused.kernels.size(), apart.kernels.size());
  }
}

// Parts of a concatenation are rows of one value, and none waits for another.
TEST(Dependencies, of_a_concatenations_parts_are_none) {
  Program program;
  Operands parts;
  for (int p = 0; p < 6; ++p) {
    const auto weight = program.add_parameter(
        {.name = "w" + std::to_string(p), .rows = 1, .shape = Shape(3, 1), .values = {}});
    ASSERT_TRUE(weight);
    parts.push_back(program.weight(*weight));
  }
  const auto all = program.add(ConcatOp{}, parts);
  ASSERT_TRUE(all);
  PlanOptions options;
  options.kept = {*all};
  const Plan plan = make_plan(program, options);
  ASSERT_EQ(plan.launches.size(), parts.size());
  for (const auto& before : launch_dependencies(plan)) EXPECT_TRUE(before.empty());
}

// Each level reads the one before it.
TEST(Dependencies, of_levels_are_a_chain) {
  const Plan plan = make_plan(recursive_program(20, false));
  expect_exact(plan);
  std::vector<std::uint32_t> depth;
  for (const auto& before : launch_dependencies(plan)) {
    depth.push_back(1);
    for (const std::uint32_t other : before)
      depth.back() = std::max(depth.back(), depth[other] + 1);
  }
  EXPECT_GE(std::ranges::max(depth), 20u);
}

}  // namespace
}  // namespace vecc::test
