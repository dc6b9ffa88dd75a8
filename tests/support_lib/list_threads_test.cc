// Long lists by the threads of a scope: every entry once, what is thrown reaches the caller, and
// lists within lists are gone through by one thread.
#include "src/support/list_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace vecc {
namespace {

constexpr std::size_t kEntries = 1'000'003;

std::vector<int> visits_of(std::size_t count) {
  std::vector<int> visits(count);
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++visits[i];
  });
  return visits;
}

TEST(ListThreads, each_entry_is_visited_once) {
  EXPECT_EQ(visits_of(kEntries), std::vector<int>(kEntries, 1));
  for (const std::uint32_t threads : {0u, 1u, 2u, 5u}) {
    const ListThreads scope(threads);
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{65'536}, kEntries}) {
      EXPECT_EQ(visits_of(count), std::vector<int>(count, 1));
    }
  }
}

TEST(ListThreads, numbered_ranges_are_all_entries_in_order) {
  EXPECT_EQ(ListThreads::ranges_of(kEntries), 1u);
  const ListThreads scope(3);
  EXPECT_EQ(ListThreads::ranges_of(kEntries), 3u);
  for (const std::size_t count : {std::size_t{0}, std::size_t{5}, kEntries}) {
    std::vector<std::size_t> begins(ListThreads::ranges_of(count), count + 1);
    std::vector<std::size_t> ends(begins);
    ListThreads::for_numbered_ranges(count,
                                     [&](std::size_t range, std::size_t begin, std::size_t end) {
                                       begins[range] = begin;
                                       ends[range] = end;
                                     });
    begins.push_back(count);
    ends.insert(ends.begin(), 0);
    EXPECT_EQ(begins, ends);
  }
}

TEST(ListThreads, several_threads_take_part_and_lists_within_are_gone_through_by_one) {
  const ListThreads scope(3);
  std::mutex lock;
  std::set<std::thread::id> threads;
  std::atomic<int> here{0};
  std::atomic<int> split{0};
  ListThreads::for_pieces(3, [&](std::size_t) {
    ++here;
    while (here < 3) std::this_thread::yield();  // each waits for the others: they are three
    const std::lock_guard guard(lock);
    threads.insert(std::this_thread::get_id());
    int ranges = 0;
    ListThreads::for_ranges(kEntries, [&](std::size_t, std::size_t) { ++ranges; });
    if (ranges > 1) ++split;
  });
  EXPECT_EQ(threads.size(), 3u);
  EXPECT_EQ(split, 0);
}

TEST(ListThreads, the_outer_scope_says_how_many_there_are) {
  const ListThreads outer(1);
  const ListThreads inner(4);
  std::set<std::thread::id> threads;
  ListThreads::for_ranges(
      kEntries, [&](std::size_t, std::size_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(ListThreads, what_a_body_throws_reaches_the_caller_and_the_scope_goes_on) {
  const ListThreads scope(4);
  const auto fail_at = [](std::size_t entry) {
    ListThreads::for_ranges(kEntries, [entry](std::size_t begin, std::size_t end) {
      if (begin <= entry && entry < end) throw std::runtime_error("entry");
    });
  };
  EXPECT_THROW(fail_at(kEntries - 1), std::runtime_error);
  EXPECT_EQ(visits_of(kEntries), std::vector<int>(kEntries, 1));
}

TEST(ListThreads, one_entry_that_does_not_hold_is_found) {
  for (const std::uint32_t threads : {1u, 4u}) {
    const ListThreads scope(threads);
    for (const std::size_t wrong : {std::size_t{0}, std::size_t{77'777}, kEntries - 1}) {
      EXPECT_FALSE(holds_for_all(kEntries, [&](std::size_t i) { return i != wrong; }));
    }
    EXPECT_TRUE(holds_for_all(kEntries, [](std::size_t i) { return i < kEntries; }));
    EXPECT_TRUE(holds_for_all(0, [](std::size_t) { return false; }));
  }
}

}  // namespace
}  // namespace vecc
