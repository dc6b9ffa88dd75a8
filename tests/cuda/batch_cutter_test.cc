// Which rows each block of a batch has.
#include "backends/cuda/batch_cutter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace vecc::cuda {
namespace {

// Two launches of one kernel in a node, 32 rows a block: one of 1,000 rows, one of 100 whose rows
// have a type.
class BatchCutterTest : public testing::Test {
 protected:
  BatchCutterTest() {
    Launch plain;
    plain.rows = 1000;
    Launch typed;
    typed.rows = 100;
    typed.tiles = {0, 30, 60, 100};
    typed.tile_types = {0, 0, 1};
    plan.launches = {plain, typed};
    batch.launches.resize(2);
    batch.launches[0].rows = 1000;
    batch.launches[1].rows = 100;
    batch.launches[1].types = std::make_shared<const std::vector<std::uint32_t>>(100, 0u);
    KernelSchedule schedule;
    schedule.members = {8, {{1, 1}}, 256};
    node.schedule = std::make_shared<const KernelSchedule>(schedule);
    node.launches = {0, 1};
  }

  std::vector<BlockRows> cut(const BatchRows& rows, std::size_t blocks) const {
    const BatchCutter cutter(plan, batch);
    std::vector<LaunchPart> parts(2);
    find_parts(rows, parts);
    std::vector<BlockRows> cut(blocks, BlockRows{7, 7, 7, 7});
    cutter.cut(node, rows, parts, cut);
    return cut;
  }
  // 70 rows of launch 0, 50 of launch 1: 20 of type 0, 30 of type 1; zeros of launch 1.
  static BatchRows some_rows() {
    BatchRows rows;
    BatchRows::Run& plain = rows.runs.emplace_back();
    plain.rows = 70;
    plain.tiles = 1;
    BatchRows::Run& typed = rows.runs.emplace_back();
    typed.launch = 1;
    typed.rows = 50;
    typed.first_tile = 1;
    typed.tiles = 3;
    rows.tiles = {{0, 70, 0}, {0, 20, 0}, {20, 40, 1}, {40, 50, 1}};
    rows.zeros.assign(65, {1, 0, 0, 1});
    return rows;
  }

  Plan plan;
  BatchPlan batch;
  GraphNode node;
};

std::vector<std::vector<std::uint32_t>> numbers_of(const std::vector<BlockRows>& blocks) {
  std::vector<std::vector<std::uint32_t>> numbers;
  for (const BlockRows& b : blocks) numbers.push_back({b.begin, b.end, b.type, b.launch});
  return numbers;
}

constexpr std::uint32_t kZeros = ~0u;

TEST_F(BatchCutterTest, rows_by_launch_and_type_then_blocks_without_rows) {
  EXPECT_EQ(numbers_of(cut(some_rows(), 8)),
            (std::vector<std::vector<std::uint32_t>>{{0, 32, 0, 0},
                                                     {32, 64, 0, 0},
                                                     {64, 70, 0, 0},
                                                     {0, 64, kZeros, 1},
                                                     {64, 65, kZeros, 1},
                                                     {0, 20, 0, 1},
                                                     {20, 50, 1, 1},
                                                     {0, 0, 0, 0}}));
}

TEST_F(BatchCutterTest, more_rows_a_block_where_blocks_are_few) {
  const BatchCutter cutter(plan, batch);
  ASSERT_EQ(cutter.fewest(node), 5u);  // a type each, and zeros of both launches
  EXPECT_EQ(numbers_of(cut(some_rows(), 5)),
            (std::vector<std::vector<std::uint32_t>>{
                {0, 64, 0, 0}, {64, 70, 0, 0}, {0, 65, kZeros, 1}, {0, 20, 0, 1}, {20, 50, 1, 1}}));
}

TEST_F(BatchCutterTest, all_rows_have_the_types_of_the_plan) {
  BatchRows rows;
  BatchRows::Run& run = rows.runs.emplace_back();
  run.launch = 1;
  run.rows = 100;
  run.is_whole = true;
  EXPECT_EQ(numbers_of(cut(rows, 5)),
            (std::vector<std::vector<std::uint32_t>>{
                {0, 32, 0, 1}, {32, 60, 0, 1}, {60, 92, 1, 1}, {92, 100, 1, 1}, {0, 0, 0, 0}}));
  EXPECT_EQ(BatchCutter(plan, batch).most(node), 32u + 4u);
}

TEST_F(BatchCutterTest, a_batch_without_rows_has_none) {
  EXPECT_EQ(numbers_of(cut({}, 1)), (std::vector<std::vector<std::uint32_t>>{{0, 0, 0, 0}}));
}

}  // namespace
}  // namespace vecc::cuda
