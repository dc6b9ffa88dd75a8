// Long indices, which the threads of a scope go through in pieces: the same answers as of one.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "src/program/index_algebra.h"
#include "src/program/inverse_index.h"
#include "src/program/members.h"
#include "src/support/list_threads.h"
#include "vecc/error.h"
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

TEST_P(LongIndex, entries_that_hold_are_listed_in_order_and_terms_added_up) {
  const Rows rows = random_rows(kRows, 1000);
  const auto is_small = [&](std::uint32_t i) { return rows[i] < 300; };
  Rows expected;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    if (is_small(i)) expected.push_back(i);
    sum += rows[i];
  }
  EXPECT_EQ(entries_where(kRows, is_small), expected);
  EXPECT_EQ(entries_where(0, is_small), Rows());
  EXPECT_EQ(entries_where(kRows, [](std::uint32_t i) { return i == kRows - 1; }), Rows{kRows - 1});
  EXPECT_EQ(total_of(kRows, [&](std::uint32_t i) { return rows[i]; }), sum);
}

TEST_P(LongIndex, lists_begin_where_those_before_them_end) {
  const Rows lengths = random_rows(kRows, 9);
  Rows expected{0};
  for (const std::uint32_t length : lengths) expected.push_back(expected.back() + length);
  EXPECT_EQ(offsets_of(kRows, [&](std::size_t i) { return lengths[i]; }), expected);
  EXPECT_EQ(offsets_of(0, [](std::size_t) { return 1u; }), Rows{0});
}

TEST_P(LongIndex, the_largest_entry_is_found_wherever_it_stands) {
  Rows rows = random_rows(kRows, 1000);
  for (const std::size_t at : {std::size_t{0}, std::size_t{70'001}, rows.size() - 1}) {
    const std::uint32_t was = std::exchange(rows[at], 5000);
    EXPECT_EQ(largest_entry(rows), 5000u);
    rows[at] = was;
  }
  EXPECT_EQ(largest_entry({}), 0u);
}

TEST_P(LongIndex, periods_that_end_early_or_late_are_lists) {
  for (const std::uint32_t period : {1u, 2u, 1000u, 150'000u}) {
    Rows rows = Index::repeat(period, kRows / period).materialize();
    EXPECT_EQ(simplest(Index::list(rows)).form(), Index::Form::Repeat) << period;
    rows[200'000] += 1;
    EXPECT_EQ(simplest(Index::list(std::move(rows))).form(), Index::Form::List) << period;
  }
  Rows rows = Index::slice(0, kRows).materialize();
  rows.back() = 0;  // a period of all but one
  EXPECT_EQ(simplest(Index::list(std::move(rows))).form(), Index::Form::List);
}

// 300,000 = 2^5 * 3 * 5^5: lists whose shortest period is each of some of its divisors.
TEST_P(LongIndex, shortest_periods_are_found_and_only_whole_ones) {
  for (const std::uint32_t period : {1u, 6u, 9375u, 60'000u, 150'000u, kRows}) {
    const Rows once = random_rows(period, 1'000'000);
    Rows rows(kRows);
    for (std::uint32_t i = 0; i < kRows; ++i) rows[i] = once[i % period];
    EXPECT_EQ(shortest_period(Index::list(rows)), period);
    rows.push_back(rows[0]);  // a prime number of entries, or one that no period divides
    EXPECT_EQ(shortest_period(Index::list(rows)), period == 1 ? 1 : kRows + 1);
    rows.pop_back();
    rows[200'000] += 1;
    EXPECT_EQ(shortest_period(Index::list(std::move(rows))), kRows);
  }
}

TEST_P(LongIndex, readers_of_each_row_are_in_order) {
  for (const std::uint32_t bound : {3u, 1000u, kRows}) {
    const Rows rows = random_rows(kRows, bound);
    const InverseIndex inverse = inverse_index(rows, bound);
    ASSERT_EQ(inverse.offsets.size(), bound + std::size_t{1});
    ASSERT_EQ(inverse.offsets.back(), kRows);
    for (std::uint32_t row = 0; row < bound; ++row) {
      for (std::uint32_t k = inverse.offsets[row]; k < inverse.offsets[row + 1]; ++k) {
        ASSERT_EQ(rows[inverse.readers[k]], row);
        const bool is_first = k == inverse.offsets[row];
        ASSERT_TRUE(is_first || inverse.readers[k - 1] < inverse.readers[k]);
      }
    }
  }
  EXPECT_THROW(static_cast<void>(inverse_index(random_rows(kRows, 1000), 999)), InternalError);
}

TEST_P(LongIndex, members_of_kept_segments_are_listed_in_order) {
  const Rows lengths = random_rows(100'000, 5);
  const Rows chosen = random_rows(90'000, 100'000);  // some twice
  const Segments ragged = segments_of_lengths(lengths);
  const std::uint32_t rows = ragged.offsets().back();
  for (const Segments& segments : {ragged, Segments::fixed(3), Segments::fixed(3, 1)}) {
    const std::uint32_t operand_rows = segments.is_fixed() ? kRows : rows;
    const SegmentOp op{segments, Combination::Sum};
    const KeptSegments kept = keep_segments(op, operand_rows, chosen);
    const auto kept_rows = static_cast<std::uint32_t>(kept.members.size());
    for (std::uint32_t s = 0; s < chosen.size(); ++s) {
      Rows expected;
      Rows found;
      for_each_member(segments, operand_rows, chosen[s],
                      [&](auto row) { expected.push_back(row); });
      for_each_member(kept.segments, kept_rows, s,
                      [&](auto row) { found.push_back(kept.members[row]); });
      ASSERT_EQ(found, expected) << s;
    }
  }
}

TEST_P(LongIndex, rows_are_whole_segments_or_not) {
  const Rows lengths = random_rows(100'000, 5);  // some are empty
  const Segments ragged = segments_of_lengths(lengths);
  for (const Segments& segments : {ragged, Segments::fixed(3)}) {
    const std::uint32_t rows = segments.is_fixed() ? kRows : ragged.offsets().back();
    Rows chosen;
    Rows kept;
    for (const std::uint32_t s : random_rows(90'000, segments.count(rows))) {
      const std::size_t before = kept.size();
      for_each_member(segments, rows, s, [&](std::uint32_t row) { kept.push_back(row); });
      if (kept.size() > before) chosen.push_back(s);
    }
    EXPECT_EQ(whole_segments(segments, rows, kept), chosen);
    EXPECT_EQ(whole_segments(segments, rows, {}), Rows());
    std::uint32_t whole = 0;
    for (std::size_t at = 0; at < kept.size(); at += 9'999) {
      Rows fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
      const std::uint32_t s = segment_of(segments, rows, kept[at]);
      const bool is_alone = member_count(segments, s) == 1;  // then a whole segment is gone
      EXPECT_EQ(whole_segments(segments, rows, fewer).has_value(), is_alone);
      whole += is_alone ? 1 : 0;
    }
    EXPECT_LT(whole, kept.size() / 9'999);
    std::swap(kept.front(), kept.back());
    EXPECT_EQ(whole_segments(segments, rows, kept), std::nullopt);
  }
}

INSTANTIATE_TEST_SUITE_P(threads, LongIndex, ::testing::Values(1u, 2u, 5u));

}  // namespace
}  // namespace vecc::test
