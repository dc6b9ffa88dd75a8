// Long indices, which the threads of a scope go through in pieces: the same answers as of one.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "vecc/index.h"

namespace vecc::test {
namespace {

using Rows = std::vector<std::uint32_t>;

constexpr std::uint32_t kRows = 300'000;

Rows random_rows(std::uint32_t count, std::uint32_t bound) {
  Rows rows(count);
  std::uint64_t state = 1;
  for (std::uint32_t& row : rows) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    row = static_cast<std::uint32_t>((state >> 33) % bound);
  }
  return rows;
}

std::vector<Index> long_forms() {
  return {Index::slice(0, kRows),
          Index::slice(9, kRows),
          Index::stride(1, 3, kRows),
          Index::repeat(1000, 300),
          Index::repeat(7, 42857),
          Index::interleave(1000, 300),
          Index::list(random_rows(kRows, kRows))};
}

class LongIndex : public ::testing::TestWithParam<std::uint32_t> {
  const ListThreads threads_{GetParam()};
};

TEST_P(LongIndex, composition_is_reading_twice) {
  for (const Index& outer : long_forms()) {
    for (const Index& inner : long_forms()) {
      if (inner.bound() > outer.size()) continue;
      const Index composed = compose(outer, inner);
      ASSERT_EQ(composed.size(), inner.size());
      for (std::uint32_t i = 0; i < inner.size(); ++i) ASSERT_EQ(composed[i], outer[inner[i]]);
    }
  }
}

TEST_P(LongIndex, forms_are_equal_where_all_rows_are) {
  for (const Index& index : long_forms()) {
    Rows rows = index.materialize();
    EXPECT_EQ(Index::list(rows), index);
    EXPECT_EQ(index, Index::list(rows));
    for (const std::size_t at : {std::size_t{0}, std::size_t{99'999}, rows.size() - 1}) {
      ++rows[at];
      EXPECT_NE(Index::list(rows), index);
      EXPECT_NE(index, Index::list(rows));
      --rows[at];
    }
  }
}

TEST_P(LongIndex, regular_lists_are_found_and_only_those) {
  for (const std::uint32_t step : {1u, 5u}) {
    Rows rows = Index::stride(3, step, kRows).materialize();
    const Index regular = Index::compact(rows);
    EXPECT_NE(regular.form(), Index::Form::List);
    EXPECT_EQ(regular.bound(), 3 + step * (kRows - 1) + 1);
    rows[200'001] = rows[200'000];
    EXPECT_EQ(Index::compact(std::move(rows)).form(), Index::Form::List);
  }
  EXPECT_TRUE(is_identity(Index::list(Index::slice(0, kRows).materialize()), kRows));
  EXPECT_FALSE(is_identity(Index::list(Index::slice(1, kRows).materialize()), kRows));
}

TEST_P(LongIndex, bound_and_distinct_rows_are_counted) {
  Rows rows = random_rows(kRows, 1000);
  rows[123'456] = 4'000'000;
  const Index index = Index::list(std::move(rows));
  EXPECT_EQ(index.bound(), 4'000'001u);
  EXPECT_EQ(count_distinct(index, index.bound()), 1001u);  // a mark by row
  EXPECT_EQ(count_distinct(index, 400'000'000), 1001u);    // sorted: few of many
  EXPECT_EQ(shifted(index, 5).bound(), 4'000'006u);
  EXPECT_EQ(shifted(index, 5)[123'456], 4'000'005u);
}

INSTANTIATE_TEST_SUITE_P(threads, LongIndex, ::testing::Values(1u, 2u, 5u));

}  // namespace
}  // namespace vecc::test
