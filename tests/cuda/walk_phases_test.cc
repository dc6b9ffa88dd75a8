// Phases: what a block reads it has computed itself, or it was there before the phase.
#include "backends/cuda/walk_phases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/cuda/row_sets.h"
#include "backends/native/gradient_program.h"
#include "src/plan/launch_layout.h"
#include "src/plan/row_accesses.h"
#include "src/samples/sample_parts.h"
#include "tests/support/random_graph.h"
#include "vecc/optimize.h"
#include "vecc/program_text.h"
#include "vecc/vectorize.h"

namespace vecc::cuda {
namespace {

// Who touched a number last.
struct Touch {
  bool any = false;
  std::uint32_t phase = 0;
  std::uint32_t level = 0;
  std::uint32_t block = 0;
};

// Whether `now` may see, or overwrite, what `before` did.
bool comes_after(const Touch& before, const Touch& now) {
  if (!before.any || before.phase < now.phase) return true;
  return before.phase == now.phase && before.block == now.block && before.level < now.level;
}

void check_stage(const Plan& plan, const StageLaunches& stage,
                 const std::vector<LaunchPhase>& phases) {
  const PlanMemory memory(plan);
  std::vector<Touch> stored(memory.size());
  std::vector<std::vector<Touch>> loaded(memory.size());
  for (std::uint32_t l = 0; l < phases.size(); ++l) {
    const Launch& launch = plan.launches[stage.first + l];
    ASSERT_EQ(phases[l].blocks.size(), launch.rows);
    const auto each = [&](bool stores, auto&& visit) {
      for_each_row(plan, launch, [&](const LaunchRow& row) {
        const Touch now{true, phases[l].phase, phases[l].level, phases[l].blocks[row.position]};
        for_each_access(plan, memory, launch, row,
                        [&](bool is_store, std::uint64_t first, std::uint64_t count) {
                          if (is_store != stores) return;
                          for (std::uint64_t e = first; e < first + count; ++e) visit(e, now);
                        });
      });
    };
    each(false, [&](std::uint64_t e, const Touch& now) {
      ASSERT_TRUE(comes_after(stored[e], now)) << "launch " << l << " loads number " << e;
    });
    each(true, [&](std::uint64_t e, const Touch& now) {
      ASSERT_TRUE(comes_after(stored[e], now)) << "launch " << l << " stores number " << e;
      for (const Touch& reader : loaded[e]) {
        ASSERT_TRUE(comes_after(reader, now)) << "launch " << l << " overwrites number " << e;
      }
    });
    each(false, [&](std::uint64_t e, const Touch& now) { loaded[e].push_back(now); });
    each(true, [&](std::uint64_t e, const Touch& now) {
      stored[e] = now;
      loaded[e].clear();
    });
  }
}

// The number of phases of the first stage.
std::uint32_t check_phases(const Program& program, bool reuses_memory) {
  const auto whole = native::make_gradient_program(program);
  EXPECT_TRUE(whole) << whole.error().text();
  PlanOptions options = for_gpu_parts({}, default_gpu());
  if (reuses_memory) options.least_reused_elements = 0;
  if (reuses_memory) options.target.launches_at_once = 1;
  options.second_stage = whole->first;
  for (const auto& gradient : whole->gradients) {
    if (gradient) options.kept.push_back(*gradient);
  }
  Plan plan = make_plan(whole->program, options);
  std::uint32_t count = 0;
  for (const StageLaunches& stage : list_stages(plan)) {
    auto phases = find_phases(plan, stage, 5);
    EXPECT_TRUE(phases);
    for (std::uint32_t l = 0; l < phases->size(); ++l) {
      if (stage.first == 0) count = std::max(count, (*phases)[l].phase + 1);
      order_by_block(plan, plan.launches[stage.first + l], (*phases)[l]);
    }
    check_stage(plan, stage, *phases);
  }
  const auto verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  return count;
}

TEST(WalkPhases, PartsOfRandomGraphsWaitForNobody) {
  int in_one = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomGraph random = test::random_graph(test::random_options(seed));
    const auto vectorized = vectorize(random.graph, {});
    ASSERT_TRUE(vectorized) << vectorized.error().text();
    const auto program = optimize(vectorized->program, {});
    ASSERT_TRUE(program) << program.error().text();
    check_phases(*program, /*reuses_memory=*/true);
    check_phases(*program, /*reuses_memory=*/false);
    const auto parts = split_by_samples(*program, 5, 1'000'000);
    if (!parts) continue;
    if (check_phases(parts->program, /*reuses_memory=*/false) == 1) ++in_one;
  }
  EXPECT_GT(in_one, 20);
}

TEST(WalkPhases, WhatAllBlocksShareIsAnotherPhase) {
  std::string text =
      "vecc program 1 f32 samples 1\n"
      "parameter \"x\" [4000, 8x1] = {";
  for (int i = 0; i < 32000; ++i) text += i == 0 ? "1" : ", 1";
  text +=
      "}\n%0 = weight \"x\" : f32[4000, 8x1]\n"
      "%1 = transform %0 tanh : f32[4000, 8x1]\n"
      "%2 = segment %1 [0, 4000] sum : f32[1, 8x1]\n"
      "%3 = transform %2 relu : f32[1, 8x1]\n"
      "%4 = output %3 [0] : f32[1, 8x1]\n";
  const auto program = parse_program(text, "p");
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_GT(check_phases(*program, /*reuses_memory=*/false), 1u);
}

TEST(RowSets, JoinsAreUndone) {
  RowSets sets({1, 2, 4, 8});
  EXPECT_EQ(sets.join(0, 1), 3);
  const std::size_t before = sets.joins();
  EXPECT_EQ(sets.join(2, 3), 12);
  EXPECT_EQ(sets.join(1, 3), 15);
  EXPECT_EQ(sets.join(0, 2), 15);
  sets.undo(before);
  EXPECT_EQ(sets.find(0), sets.find(1));
  EXPECT_NE(sets.find(0), sets.find(2));
  EXPECT_NE(sets.find(2), sets.find(3));
  EXPECT_EQ(sets.weight(sets.find(0)), 3);
  EXPECT_EQ(sets.join(0, 3), 11);
}

}  // namespace
}  // namespace vecc::cuda
