// Plans with arrays so long that threads share them: the same for any number, and verified as all.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/support/list_threads.h"
#include "tests/support/random_source.h"
#include "vecc/plan.h"
#include "vecc/target.h"

namespace vecc::test {
namespace {

class LongIndexArrays : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kRows = 200'000;

  static std::vector<std::uint32_t> random_rows(std::uint32_t seed, std::uint32_t below) {
    RandomSource random(seed);
    std::vector<std::uint32_t> rows(kRows);
    std::ranges::generate(rows, [&] { return random.below(below); });
    return rows;
  }

  // Typed products of gathered rows, summed; two gathers have equal lists that are not one.
  static Program typed_sums() {
    Program program;
    const auto x = program.add_parameter({"x", kRows, Shape::column(2), nullptr});
    const auto w = program.add_parameter({"w", 9, Shape(2, 2), nullptr});
    const ValueId types = program.gather(program.weight(*w), Index::list(random_rows(1, 9)));
    const ValueId rows = program.weight(*x);
    const ValueId first =
        program.linear(types, program.gather(rows, Index::list(random_rows(2, kRows))));
    const ValueId second =
        program.linear(types, program.gather(first, Index::list(random_rows(2, kRows))));
    std::vector<std::uint32_t> offsets{0};
    RandomSource random(3);
    while (offsets.back() < kRows) {
      offsets.push_back(std::min(kRows, offsets.back() + random.below(4)));
    }
    const ValueId sums =
        program.segment(second, Segments::ragged(std::move(offsets)), Combination::Sum);
    const std::uint32_t count = program.op(sums).rows;
    program.set_sample_count(count);
    program.output(sums, Index::slice(0, count));
    return program;
  }
};

TEST_F(LongIndexArrays, are_planned_and_verified_the_same_by_any_number_of_threads) {
  const Program program = typed_sums();
  std::string one;
  for (const std::uint32_t threads : {1, 2, 5}) {
    const ListThreads scope(threads);
    const Plan plan = make_plan(program);
    EXPECT_TRUE(verify(plan));
    const std::string text = text_of(plan, program);
    if (threads == 1) one = text;
    EXPECT_EQ(text, one) << threads;
    const auto equal = [&](const auto& array) { return *array == random_rows(2, kRows); };
    EXPECT_LE(std::ranges::count_if(plan.arrays, equal), 1) << "equal arrays are one";
  }
}

// Long segments are cut, and rows stand by their length, as a GPU has them.
TEST_F(LongIndexArrays, of_uneven_segments_are_planned_the_same_by_any_number_of_threads) {
  constexpr std::uint32_t kSegments = 70'000;
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t s = 0; s < kSegments; ++s) {
    offsets.push_back(offsets.back() + (s % 20'000 == 9 ? 5'000 : s % 5));
  }
  Program program;
  const auto x = program.add_parameter({"x", offsets.back(), Shape::column(8), nullptr});
  const ValueId members = program.transform(program.weight(*x), {Transformation::Tanh, 0.01, {}});
  const ValueId sums =
      program.segment(members, Segments::ragged(std::move(offsets)), Combination::Sum);
  program.set_sample_count(kSegments);
  program.output(sums, Index::slice(0, kSegments));
  PlanOptions options;
  options.target = *find_target("h200");
  std::string one;
  for (const std::uint32_t threads : {1, 2, 5}) {
    const ListThreads scope(threads);
    const Plan plan = make_plan(program, options);
    EXPECT_TRUE(verify(plan));
    std::string text = text_of(plan, program);
    std::string arrays;
    for (const auto& array : plan.arrays) {
      for (const std::uint32_t entry : *array) arrays += std::to_string(entry) + ' ';
    }
    text += arrays;
    for (const Launch& launch : plan.launches) {
      for (const std::uint32_t tile : launch.tiles) text += ' ' + std::to_string(tile);
    }
    if (threads == 1) one = text;
    EXPECT_TRUE(text == one) << threads;
    EXPECT_GT(plan.launches.size(), 1u) << "pieces, and their sums";
  }
}

// An entry late in a long array of each kind is wrong.
TEST_F(LongIndexArrays, are_refused_where_one_entry_is_wrong) {
  const Program program = typed_sums();
  for (const std::uint32_t threads : {1, 3}) {
    const ListThreads scope(threads);
    const Plan plan = make_plan(program);
    int broken = 0;
    for (const Launch& launch : plan.launches) {
      for (const ArrayIndex array : {launch.order, launch.offsets}) {
        if (array == kNone || plan.arrays[array]->size() < kRows / 2) continue;
        Plan wrong = plan;
        std::vector<std::uint32_t> entries = *plan.arrays[array];
        std::swap(entries[entries.size() - 2], entries[entries.size() - 3]);
        entries[entries.size() - 2] = entries[0];  // an order's twice, offsets that fall
        wrong.arrays[array] = std::make_shared<const std::vector<std::uint32_t>>(entries);
        EXPECT_FALSE(verify(wrong)) << threads;
        ++broken;
      }
    }
    EXPECT_GT(broken, 0);
  }
}

}  // namespace
}  // namespace vecc::test
