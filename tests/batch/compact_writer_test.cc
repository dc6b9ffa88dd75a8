// Lists and places of a compact batch.
#include "src/batch/compact_writer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace vecc::test {
namespace {

BatchAccess access_of_buffer(BufferIndex buffer, std::uint32_t rows, bool stores) {
  BatchAccess access;
  access.buffer = buffer;
  access.rows = rows;
  access.store = stores;
  return access;
}

BatchLaunch ordered_launch(std::uint32_t rows, std::vector<BatchAccess> accesses) {
  BatchLaunch launch;
  launch.rows = rows;
  launch.takes_order = true;
  launch.accesses = std::move(accesses);
  return launch;
}

// Of a launch that runs those at `order` in `wide`.
BatchRows::Run ordered_run(std::uint32_t launch, std::uint32_t rows, std::uint32_t order,
                           std::uint32_t tile) {
  BatchRows::Run run;
  run.launch = launch;
  run.rows = rows;
  run.order = order;
  run.first_tile = tile;
  run.tiles = 1;
  return run;
}

// Of two buffers with the same blocks in a batch, one is a single block: rows of its accesses are
// counted from the access's first unit, those of the other from the block's.
TEST(CompactWriter, buffers_of_other_sizes_have_lists_of_their_own) {
  BatchPlan plan;
  plan.is_compact = true;
  plan.units = {1, 1};
  plan.unit_counts = {4, 8};
  plan.blocks = {4, 4};
  plan.made_buffers = {true, true};
  plan.lives = {{0, 2}, {0, 2}};
  BatchAccess of_one = access_of_buffer(0, 2, false);
  BatchAccess of_two = access_of_buffer(1, 2, false);
  of_one.first = of_two.first = 2;
  plan.launches.push_back(ordered_launch(4, {access_of_buffer(0, 4, true)}));
  plan.launches.push_back(ordered_launch(8, {access_of_buffer(1, 8, true)}));
  plan.launches.push_back(ordered_launch(2, {of_one, of_two}));
  BatchRows found;
  found.wide = {0, 1, 2, 3};
  found.tiles = {{0, 4, 0}, {0, 2, 0}};
  found.runs = {ordered_run(0, 4, 0, 0), ordered_run(1, 4, 0, 0), ordered_run(2, 2, 0, 1)};
  CompactWriter writer(plan);
  BatchRows compact;
  writer.write(found, compact);
  ASSERT_EQ(compact.runs.size(), 3u);
  // The first number of each load is where its buffer begins, and two rows on.
  for (std::uint32_t a = 0; a < 2; ++a) {
    const std::uint64_t begin = compact.places[compact.runs[a].places];
    const BatchRows::Run& run = compact.runs[2];
    const std::uint32_t list = compact.lists[run.lists + a];
    for (std::uint32_t row = 0; row < 2; ++row) {
      EXPECT_EQ(compact.places[run.places + a] + compact.wide[list + row], begin + 2 + row) << a;
    }
  }
}

}  // namespace
}  // namespace vecc::test
