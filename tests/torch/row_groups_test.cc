// Rows by type in batches: which types share one, and what stands where.
#include "backends/torch/row_groups.h"

#include <gtest/gtest.h>

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers types_of(const Numbers& counts) {
  Numbers types;
  for (std::uint32_t type = 0; type < counts.size(); ++type) {
    types.insert(types.end(), counts[type], type);
  }
  return types;
}

TEST(RowGroups, RowsStandByType) {
  const libtorch::RowGroups groups = libtorch::group_rows(Numbers{4, 1, 4, 1, 4, 2}, 5);
  EXPECT_EQ(groups.types, (Numbers{4, 1, 2}));
  EXPECT_EQ(groups.batches, (std::vector<libtorch::RowBatch>{{2, 3}, {1, 1}}));
  EXPECT_EQ(groups.members, (Numbers{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(groups.offsets, (Numbers{0, 1, 2, 3, 4, 5, 5, 6}));
  EXPECT_EQ(groups.place, (Numbers{0, 3, 1, 4, 2, 6}));
}

TEST(RowGroups, OneTypeIsNotPadded) {
  const libtorch::RowGroups groups = libtorch::group_rows(Numbers(1000, 3), 7);
  EXPECT_EQ(groups.types, (Numbers{3}));
  EXPECT_EQ(groups.batches, (std::vector<libtorch::RowBatch>{{1, 1000}}));
}

TEST(RowGroups, WidePaddingMakesAnotherBatch) {
  EXPECT_EQ(libtorch::group_rows(types_of({5000, 4000, 3000}), 3).batches,
            (std::vector<libtorch::RowBatch>{{2, 5000}, {1, 3000}}));
  EXPECT_EQ(libtorch::group_rows(types_of({6, 3, 4}), 3).batches,
            (std::vector<libtorch::RowBatch>{{2, 6}, {1, 3}}));
}

TEST(RowGroups, FewBatchesAndLittlePaddingOfManyTypes) {
  Numbers counts;
  std::uint64_t rows = 0;
  for (std::uint32_t type = 0; type < 10000; ++type) {
    counts.push_back(50000 / (1 + type * 7919 % 10000));
    rows += counts.back();
  }
  const libtorch::RowGroupCounts found = libtorch::count_row_groups(types_of(counts), 10000);
  EXPECT_EQ(found.types, 10000u);
  EXPECT_LE(found.batches, 40u);
  EXPECT_LE(found.positions, rows + rows / 2);
}

TEST(RowGroups, CountsAreThoseOfTheGroups) {
  const Numbers types = types_of({5, 0, 17, 2000, 3, 3100, 1});
  const libtorch::RowGroups groups = libtorch::group_rows(types, 7);
  const libtorch::RowGroupCounts counts = libtorch::count_row_groups(types, 7);
  EXPECT_EQ(counts.types, groups.types.size());
  EXPECT_EQ(counts.batches, groups.batches.size());
  EXPECT_EQ(counts.positions, groups.offsets.size() - 1);
}

TEST(RowGroups, OfNoRows) {
  const libtorch::RowGroups groups = libtorch::group_rows({}, 3);
  EXPECT_TRUE(groups.batches.empty());
  EXPECT_EQ(groups.offsets, (Numbers{0}));
}

}  // namespace
}  // namespace vecc::test
