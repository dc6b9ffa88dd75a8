// Laws of the index forms.
#include "vecc/index.h"

#include <gmock/gmock.h>

#include "vecc/error.h"

namespace vecc::test {
namespace {

using Rows = std::vector<std::uint32_t>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Index> all_forms() {
  return {Index::slice(2, 3),      Index::slice(0, 0),      Index::stride(1, 3, 4),
          Index::stride(5, 2, 1),  Index::repeat(3, 2),     Index::repeat(3, 0),
          Index::interleave(3, 2), Index::interleave(0, 4), Index::list({4, 0, 4}),
          Index::list({})};
}

TEST(Index, forms_written_out) {
  EXPECT_THAT(Index::slice(4, 3).materialize(), ElementsAre(4, 5, 6));
  EXPECT_THAT(Index::stride(1, 3, 3).materialize(), ElementsAre(1, 4, 7));
  EXPECT_THAT(Index::repeat(2, 3).materialize(), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(Index::interleave(2, 3).materialize(), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(Index::list({4, 0}).materialize(), ElementsAre(4, 0));
}

TEST(Index, materialize_agrees_with_reading_row_by_row) {
  for (const Index& index : all_forms()) {
    const Rows rows = index.materialize();
    ASSERT_EQ(rows.size(), index.size());
    for (std::uint32_t i = 0; i < index.size(); ++i) EXPECT_EQ(rows[i], index[i]);
  }
}

TEST(Index, bound_is_the_largest_row_plus_one) {
  for (const Index& index : all_forms()) {
    std::uint32_t bound = 0;
    for (const std::uint32_t row : index.materialize()) bound = std::max(bound, row + 1);
    EXPECT_EQ(index.bound(), bound);
  }
}

TEST(Index, equality_looks_at_rows_not_forms) {
  for (const Index& index : all_forms()) {
    EXPECT_EQ(index, Index::list(index.materialize()));
    EXPECT_EQ(index, Index::compact(index.materialize()));
  }
  EXPECT_EQ(Index::repeat(4, 1), Index::slice(0, 4));
  EXPECT_EQ(Index::interleave(4, 1), Index::stride(0, 1, 4));
}

TEST(Index, different_rows_are_not_equal) {
  EXPECT_NE(Index::repeat(2, 2), Index::interleave(2, 2));
  EXPECT_NE(Index::slice(0, 2), Index::slice(0, 3));
  EXPECT_NE(Index::list({0, 1}), Index::list({1, 0}));
}

TEST(Index, compact_finds_slices_and_strides_only) {
  EXPECT_EQ(Index::compact({3, 4, 5}).form(), Index::Form::Slice);
  EXPECT_EQ(Index::compact({7}).form(), Index::Form::Slice);
  EXPECT_EQ(Index::compact({}).form(), Index::Form::Slice);
  EXPECT_EQ(Index::compact({3, 5, 7}).form(), Index::Form::Stride);
  EXPECT_EQ(Index::compact({3, 5, 8}).form(), Index::Form::List);
  EXPECT_EQ(Index::compact({5, 4, 3}).form(), Index::Form::List);
  EXPECT_EQ(Index::compact({1, 1}).form(), Index::Form::List);
  EXPECT_EQ(Index::compact({0, 1, 0, 1}).form(), Index::Form::List);
}

// Composition: reading through `outer` what was read through `inner` is one index.
TEST(Index, composition_is_reading_twice) {
  const Rows source{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  for (const Index& inner : all_forms()) {
    for (const Index& outer : all_forms()) {
      if (outer.bound() > inner.size() || inner.bound() > source.size()) continue;
      Rows read_once;
      for (const std::uint32_t row : inner.materialize()) read_once.push_back(source[row]);
      Rows composed;
      for (std::uint32_t i = 0; i < outer.size(); ++i) composed.push_back(inner[outer[i]]);
      const Index index = Index::compact(composed);
      for (std::uint32_t i = 0; i < outer.size(); ++i) {
        EXPECT_EQ(source[index[i]], read_once[outer[i]]);
      }
    }
  }
}

TEST(Index, only_lists_take_memory) {
  EXPECT_EQ(Index::slice(0, 1000000).bytes(), 0u);
  EXPECT_EQ(Index::interleave(1000, 1000).bytes(), 0u);
  EXPECT_EQ(Index::list({1, 2, 3}).bytes(), 12u);
  EXPECT_THAT(Index::slice(0, 10).array(), IsEmpty());
}

TEST(Index, copies_share_the_array) {
  const Index index = Index::list({1, 2, 3});
  const Index copy = index;
  EXPECT_EQ(copy.array().data(), index.array().data());
}

TEST(Index, rows_up_to_32_bits) {
  EXPECT_EQ(Index::slice(0xFFFFFFFEu, 1).bound(), 0xFFFFFFFFu);
  EXPECT_EQ(Index::stride(0, 0xFFFFFFFEu, 2).bound(), 0xFFFFFFFFu);
  EXPECT_THROW((void)Index::slice(0xFFFFFFFFu, 1), InternalError);
  EXPECT_THROW((void)Index::stride(1, 0xFFFFFFFEu, 2), InternalError);
  EXPECT_THROW((void)Index::stride(0, 0, 2), InternalError);
  EXPECT_THROW((void)Index::repeat(1 << 16, 1 << 16), InternalError);
  EXPECT_THROW((void)Index::interleave(1 << 16, 1 << 16), InternalError);
  EXPECT_THROW((void)Index::list({0xFFFFFFFFu}), InternalError);
}

}  // namespace
}  // namespace vecc::test
