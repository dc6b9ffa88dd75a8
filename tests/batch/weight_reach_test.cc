// Batches that are united of what their weights reach are those that are searched.
#include "src/batch/weight_reach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <tuple>

#include "src/batch/batch_binder.h"
#include "src/train/step_program.h"
#include "tests/support/random_graph.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

struct StepPlan {
  training::BatchStepProgram made;
  BatchPlan plan;
};

// Of all samples; none where it cannot be bound.
std::optional<StepPlan> plan_of(const NeuronGraph& graph, bool mixes = true) {
  Program forward = *optimize(vectorize(graph)->program);
  Numbers samples(forward.sample_count());
  std::iota(samples.begin(), samples.end(), 0u);
  auto made = training::make_batch_step_program(graph, std::move(forward), samples, {});
  EXPECT_TRUE(made) << made.error().text();
  made->batch.mixes_samples = mixes;
  auto plan = make_batch_plan(make_plan(made->step.program), made->step.program, made->batch);
  if (!plan) return {};
  return StepPlan{std::move(*made), std::move(*plan)};
}

NeuronGraph shipped_graph(const std::string& name) {
  return *read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/" + name);
}

Batch random_batch(const StepPlan& step, std::uint32_t count, std::mt19937& random) {
  Batch batch;
  batch.weights.resize(step.plan.weights.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& row = step.made.rows[random() % step.made.rows.size()];
    batch.weights[row.output].rows.push_back(row.row);
  }
  for (Batch::Weights& weights : batch.weights) {
    std::ranges::sort(weights.rows);
    weights.rows.erase(std::unique(weights.rows.begin(), weights.rows.end()), weights.rows.end());
    weights.values.assign(weights.rows.size(), 0.5);
  }
  return batch;
}

// By run, what it is, with its arrays, wherever they lie.
std::vector<std::vector<std::uint64_t>> runs_of(const BatchPlan& plan, const BatchRows& rows) {
  std::vector<std::vector<std::uint64_t>> runs;
  for (const BatchRows::Run& run : rows.runs) {
    const BatchLaunch& launch = plan.launches[run.launch];
    std::vector<std::uint64_t>& to = runs.emplace_back();
    to = {run.launch, run.rows, run.is_whole ? 1u : 0u, run.work, run.tiles};
    const auto add = [&](std::uint32_t place, std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i) {
        to.push_back(rows.entry(place + i, launch.is_narrow));
      }
    };
    for (std::uint32_t t = run.first_tile; t < run.first_tile + run.tiles; ++t) {
      const BatchRows::Tile& tile = rows.tiles[t];
      to.insert(to.end(), {tile.begin, tile.end, tile.type});
    }
    if (run.order != kNone) add(run.order, run.rows);
    if (!launch.drops) continue;
    for (std::uint32_t i = 0; i <= run.rows; ++i) to.push_back(rows.wide[run.offsets + i]);
    const std::uint32_t members = rows.wide[run.offsets + run.rows];
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const bool is_member = launch.accesses[a].space == KernelSpace::Member;
      const std::uint32_t place = rows.lists[run.lists + a];
      if (place != kNone) add(place, is_member ? members : run.rows);
    }
  }
  return runs;
}

std::vector<std::tuple<std::uint32_t, BufferIndex, std::uint64_t, std::uint64_t, double>> rests_of(
    const BatchRows& rows) {
  std::vector<std::tuple<std::uint32_t, BufferIndex, std::uint64_t, std::uint64_t, double>> rests;
  for (const BatchRows::Zeros& z : rows.zeros) {
    rests.emplace_back(z.launch, z.buffer, z.first, z.count, z.value);
  }
  std::ranges::sort(rests);
  return rests;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> unstored_of(const BatchRows& rows) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unstored;
  for (const BatchRows::Unstored& u : rows.unstored) unstored.emplace_back(u.launch, u.access);
  std::ranges::sort(unstored);
  return unstored;
}

// How many batches had rows at rest, or updates that go nowhere.
std::uint64_t compare(const StepPlan& step, const WeightReach& reach, std::uint32_t seed) {
  BatchBinder searches(step.plan);
  BatchBinder unites(step.plan, &reach);
  BatchRows expected;
  BatchRows found;
  std::mt19937 random(seed);
  std::uint64_t special = 0;
  for (const std::uint32_t count : {0u, 1u, 1u, 2u, 5u, 32u, 100u, 3u}) {
    const Batch batch = random_batch(step, count, random);
    searches.bind(batch, expected);
    unites.bind(batch, found);
    EXPECT_EQ(runs_of(step.plan, found), runs_of(step.plan, expected)) << count;
    EXPECT_EQ(rests_of(found), rests_of(expected)) << count;
    EXPECT_EQ(unstored_of(found), unstored_of(expected)) << count;
    special += expected.zeros.empty() && expected.unstored.empty() ? 0 : 1;
  }
  return special;
}

std::unique_ptr<const WeightReach> reach_of(const StepPlan& step) {
  return WeightReach::make(step.plan, std::uint64_t{1} << 30);
}

TEST(WeightReach, unites_what_a_search_finds) {
  for (const char* name : {"mutagenesis.pb", "attention.pb", "xor.pb"}) {
    SCOPED_TRACE(name);
    const StepPlan step = plan_of(shipped_graph(name)).value();
    const auto reach = reach_of(step);
    ASSERT_NE(reach, nullptr);
    compare(step, *reach, 1);
  }
}

TEST(WeightReach, unites_batches_of_random_graphs) {
  std::uint64_t united = 0;
  std::uint64_t special = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomGraphOptions options;
    options.seed = seed;
    const std::optional<StepPlan> step = plan_of(with_all_samples(random_graph(options)));
    if (!step) continue;
    const auto reach = reach_of(*step);
    if (reach == nullptr) continue;
    ++united;
    special += compare(*step, *reach, static_cast<std::uint32_t>(seed));
  }
  EXPECT_GT(united, 10u);
  EXPECT_GT(special, 10u);
}

// A step has the same rows forwards and backwards.
TEST(WeightReach, launches_that_run_the_same_rows_share_their_arrays) {
  const StepPlan step = plan_of(shipped_graph("mutagenesis.pb")).value();
  const auto reach = reach_of(step);
  ASSERT_NE(reach, nullptr);
  std::uint64_t alike = 0;
  for (std::uint32_t l = 0; l < step.plan.launches.size(); ++l) {
    alike += reach->numbers().alike(l) != l ? 1 : 0;
  }
  EXPECT_GT(alike, 0u);
  BatchBinder searches(step.plan);
  BatchBinder unites(step.plan, reach.get());
  BatchRows searched;
  BatchRows united;
  std::mt19937 random(1);
  const Batch batch = random_batch(step, 32, random);
  searches.bind(batch, searched);
  unites.bind(batch, united);
  EXPECT_LT(united.bytes(), searched.bytes());
}

TEST(WeightReach, is_not_made_where_batches_come_again) {
  EXPECT_EQ(reach_of(plan_of(shipped_graph("xor.pb"), /*mixes=*/false).value()), nullptr);
}

TEST(WeightReach, takes_no_more_than_it_may) {
  const StepPlan step = plan_of(shipped_graph("mutagenesis.pb")).value();
  const auto reach = reach_of(step);
  ASSERT_NE(reach, nullptr);
  EXPECT_EQ(WeightReach::make(step.plan, reach->bytes() / 4), nullptr);
  EXPECT_EQ(WeightReach::make(step.plan, reach->bytes() - 1), nullptr);
  EXPECT_NE(WeightReach::make(step.plan, reach->bytes() * 2), nullptr);
  EXPECT_LE(reach->bytes(), WeightReach::most_bytes(step.plan));
}

}  // namespace
}  // namespace vecc::test
