// Which launches wait for which: against every pair of launches looked at by itself.
#include "src/plan/dependencies.h"

#include <gtest/gtest.h>

#include <algorithm>

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

std::vector<Range> ranges_of(const Plan& plan, const Launch& launch) {
  std::vector<Range> ranges;
  const Kernel& kernel = plan.kernels[launch.kernel];
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const AccessBinding& access = launch.accesses[a];
    const PlanBuffer& buffer = plan.buffers[access.buffer];
    const bool is_arena = buffer.kind == PlanBuffer::Kind::Arena;
    const std::uint64_t first = (is_arena ? buffer.offset : 0) + access.first;
    ranges.push_back({is_arena ? kNone : access.buffer, first,
                      first + access.rows * kernel.accesses[a].shape.size(),
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
