// SharedList and ShortList: what a Program's ops and operands lie in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "vecc/program.h"
#include "vecc/shared_list.h"
#include "vecc/short_list.h"

namespace vecc::test {
namespace {

using ::testing::ElementsAre;

static_assert(std::ranges::random_access_range<SharedList<int>>);
static_assert(sizeof(ShortList) == 16);

SharedList<std::string> numbers(std::size_t count) {
  SharedList<std::string> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(std::to_string(i));
  return list;
}

// Around where blocks begin.
TEST(SharedList, CopiesGrowApart) {
  for (const std::size_t count : {0u, 1u, 255u, 256u, 257u, 1000u}) {
    SharedList<std::string> one = numbers(count);
    SharedList<std::string> other = one;
    one.push_back("one");
    other.push_back("other");
    other.push_back("more");
    ASSERT_EQ(one.size(), count + 1);
    ASSERT_EQ(other.size(), count + 2);
    EXPECT_EQ(one[count], "one");
    EXPECT_EQ(other[count], "other");
    EXPECT_EQ(other.back(), "more");
    EXPECT_TRUE(std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(count),
                           other.begin(), other.begin() + static_cast<std::ptrdiff_t>(count)));
  }
}

TEST(SharedList, CopiesShareWhatIsThere) {
  const SharedList<std::string> one = numbers(1000);
  SharedList<std::string> other = one;
  other.push_back("more");
  for (std::size_t i = 0; i < 768; ++i) ASSERT_EQ(&one[i], &other[i]) << i;
}

TEST(SharedList, AnEndedCopyLeavesTheListAsItIs) {
  SharedList<std::string> list = numbers(300);
  { const SharedList<std::string> copy = list; }
  const std::string* const first = &list[256];
  for (int i = 0; i < 100; ++i) list.push_back("x");
  EXPECT_EQ(&list[256], first);
  EXPECT_EQ(list[299], "299");
  EXPECT_EQ(list[399], "x");
}

// Around where blocks begin; with the list that they come from, and when it is gone.
TEST(SharedList, SharesABeginningAndGrowsApart) {
  for (const std::size_t count : {0u, 1u, 255u, 256u, 257u, 700u}) {
    for (const bool goes : {false, true}) {
      auto whole = std::make_unique<SharedList<std::string>>(numbers(1000));
      SharedList<std::string> list;
      for (std::size_t i = 0; i < count; ++i) list.share_next(*whole);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(&list[i], &(*whole)[i]) << i;
      if (goes) whole.reset();
      for (int i = 0; i < 300; ++i) list.push_back("own");
      ASSERT_EQ(list.size(), count + 300);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(list[i], std::to_string(i));
      for (std::size_t i = count; i < list.size(); ++i) ASSERT_EQ(list[i], "own") << i;
      if (goes) continue;
      for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ((*whole)[i], std::to_string(i));
    }
  }
}

TEST(Program, CopiesGrowApart) {
  Program program;
  ValueId last = program.fact({1.0}, 1, Shape());
  const TransformationSpec tanh{.id = Transformation::Tanh, .target = {}};
  for (int i = 0; i < 400; ++i) last = program.transform(last, tanh);
  Program other = program;
  program.output(last, Index::slice(0, 1));
  other.transform(last, tanh);
  EXPECT_EQ(program.ops().back().kind(), OpKind::Output);
  EXPECT_EQ(other.ops().back().kind(), OpKind::Transform);
  EXPECT_EQ(&program.op(0), &other.op(0));
}

TEST(ShortList, HoldsAnyNumber) {
  ShortList list;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 100; ++i) {
    list.push_back(i * i);
    expected.push_back(i * i);
    ASSERT_TRUE(std::ranges::equal(list, expected)) << i;
    const ShortList copy = list;
    ASSERT_EQ(copy, list);
  }
  while (!list.empty()) {
    list.pop_back();
    expected.pop_back();
    ASSERT_TRUE(std::ranges::equal(list, expected)) << list.size();
  }
  list.push_back(7);
  EXPECT_THAT(list, ElementsAre(7));
}

TEST(ShortList, MovesAndAssigns) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 9u}) {
    ShortList list(count);
    std::ranges::fill(list, 5u);
    ShortList moved = std::move(list);
    EXPECT_EQ(moved.size(), count);
    EXPECT_TRUE(std::ranges::all_of(moved, [](std::uint32_t x) { return x == 5; }));
    list = moved;
    EXPECT_EQ(list, moved);
    moved = {1, 2, 3};
    EXPECT_THAT(moved, ElementsAre(1, 2, 3));
    EXPECT_EQ(list.size(), count);
  }
}

TEST(Index, KeepsItsBound) {
  EXPECT_EQ(Index().bound(), 0u);
  EXPECT_EQ(Index::slice(3, 0).bound(), 0u);
  EXPECT_EQ(Index::slice(3, 4).bound(), 7u);
  EXPECT_EQ(Index::stride(1, 3, 3).bound(), 8u);
  EXPECT_EQ(Index::repeat(4, 3).bound(), 4u);
  EXPECT_EQ(Index::repeat(4, 0).bound(), 0u);
  EXPECT_EQ(Index::interleave(4, 3).bound(), 4u);
  EXPECT_EQ(Index::list({2, 9, 0}).bound(), 10u);
  EXPECT_EQ(Index::list({}).bound(), 0u);
  EXPECT_EQ(Index::list({2, 9, 0}).begin(), 0u);
}

}  // namespace
}  // namespace vecc::test
