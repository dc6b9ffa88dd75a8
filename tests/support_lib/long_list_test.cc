#include "src/support/long_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "src/support/list_threads.h"

namespace vecc {
namespace {

TEST(LongList, has_its_value_everywhere_at_any_length) {
  for (const std::uint32_t threads : {1, 3}) {
    const ListThreads scope(threads);
    for (const std::size_t count : {0u, 1u, (1u << 19) - 1, 1u << 19, (1u << 22) + 3}) {
      const std::vector<std::uint32_t> list = long_list(count, 7u);
      EXPECT_EQ(list.size(), count);
      EXPECT_EQ(std::ranges::count(list, 7u), static_cast<std::ptrdiff_t>(count));
    }
  }
}

TEST(LongList, that_is_not_set_has_its_length_and_takes_all_entries) {
  const ListThreads scope(3);
  for (const std::size_t count : {0u, 1u, (1u << 20) + 3}) {
    std::vector<std::uint32_t> list = unset_list<std::uint32_t>(count);
    ASSERT_EQ(list.size(), count);
    std::iota(list.begin(), list.end(), 5u);
    list.push_back(4);
    const std::vector<std::uint32_t> copy = list;
    ASSERT_EQ(copy.size(), count + 1);
    EXPECT_EQ(copy.front(), count == 0 ? 4u : 5u);
    EXPECT_EQ(copy.back(), 4u);
  }
}

// What lies beside the memory that is touched is as it was.
TEST(LongList, touches_no_byte_beyond_its_memory) {
  const ListThreads scope(3);
  constexpr std::size_t kBytes = (std::size_t{5} << 20) + 11;
  std::vector<char> bytes(kBytes + 2, 'a');
  touch_pages(bytes.data() + 1, kBytes);
  EXPECT_EQ(bytes.front(), 'a');
  EXPECT_EQ(bytes.back(), 'a');
  touch_pages(bytes.data() + 1, 0);
}

}  // namespace
}  // namespace vecc
