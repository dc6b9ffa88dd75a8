// The forms of indices: the simplest one has the same rows, and is the form that its name says.
#include <gtest/gtest.h>

#include <vector>

#include "src/program/index_algebra.h"

namespace vecc {
namespace {

using Rows = std::vector<std::uint32_t>;

// Every list of `size` entries below `bound`.
std::vector<Rows> all_lists(std::uint32_t size, std::uint32_t bound) {
  std::vector<Rows> lists{{}};
  for (std::uint32_t i = 0; i < size; ++i) {
    std::vector<Rows> longer;
    for (const Rows& list : lists) {
      for (std::uint32_t row = 0; row < bound; ++row) {
        longer.push_back(list);
        longer.back().push_back(row);
      }
    }
    lists = std::move(longer);
  }
  return lists;
}

bool has_constant_step(const Rows& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] <= rows[i - 1] || rows[i] - rows[i - 1] != rows[1] - rows[0]) return false;
  }
  return true;
}

TEST(SimplestIndex, of_every_short_list_has_its_rows) {
  for (std::uint32_t size = 0; size <= 5; ++size) {
    for (const Rows& rows : all_lists(size, 6)) {
      const Index index = simplest(Index::list(rows));
      EXPECT_EQ(index.materialize(), rows);
      EXPECT_EQ(index.form() != Index::Form::List, has_constant_step(rows));
      EXPECT_EQ(is_regular(Index::list(rows)), has_constant_step(rows));
    }
  }
}

TEST(SimplestIndex, of_a_long_list_is_a_repeat_or_interleave_from_row_0) {
  for (std::uint32_t rows = 1; rows <= 60; ++rows) {
    for (std::uint32_t times = 2; rows * times <= 120; ++times) {
      const bool is_long = rows * times > kShortList;
      for (const Index& form : {Index::repeat(rows, times), Index::interleave(rows, times)}) {
        const Index index = simplest(Index::list(form.materialize()));
        EXPECT_EQ(index, form);
        EXPECT_EQ(index.form() == Index::Form::List, !is_long) << rows << " x " << times;
        EXPECT_EQ(simplest(form).form(), form.form());
        // From row 1 on, or without the last entry, it is neither.
        EXPECT_EQ(simplest(shifted(form, 1)).form(), Index::Form::List);
        if (rows == 1) continue;
        Rows cut = form.materialize();
        cut.pop_back();
        EXPECT_EQ(simplest(Index::list(cut)).form(), Index::Form::List);
      }
    }
  }
}

TEST(SimplestIndex, of_a_regular_form_that_is_a_slice) {
  for (const Index& index : {Index::stride(3, 1, 4), Index::stride(5, 7, 1), Index::repeat(4, 1),
                             Index::interleave(4, 1), Index::stride(2, 3, 0)}) {
    EXPECT_EQ(simplest(index).form(), Index::Form::Slice);
    EXPECT_EQ(simplest(index), index);
  }
}

TEST(ShiftedIndex, adds_to_every_row_and_keeps_slices_and_strides) {
  for (const Index& index : {Index::slice(2, 3), Index::stride(2, 4, 3), Index::list({7, 2, 2}),
                             Index::repeat(3, 2), Index::interleave(3, 2)}) {
    const Index there = shifted(index, 40);
    for (std::uint32_t i = 0; i < index.size(); ++i) EXPECT_EQ(there[i], index[i] + 40);
    EXPECT_EQ(shifted(there, -40), index);
  }
  EXPECT_EQ(shifted(Index::slice(2, 3), 1).form(), Index::Form::Slice);
  EXPECT_EQ(shifted(Index::stride(2, 4, 3), 1).form(), Index::Form::Stride);
}

}  // namespace
}  // namespace vecc
