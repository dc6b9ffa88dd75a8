// A team's threads: each runs the body once, a barrier holds all, what one throws reaches the
// caller.
#include "src/support/thread_team.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace vecc {
namespace {

TEST(ThreadTeam, each_thread_runs_the_body_once_and_barriers_hold_all) {
  for (const std::uint32_t threads : {1u, 2u, 5u}) {
    ThreadTeam team(threads);
    ASSERT_EQ(team.size(), threads);
    std::vector<std::uint32_t> runs(threads, 0);
    std::vector<std::uint32_t> seen(threads, 0);
    for (std::uint32_t round = 1; round <= 100; ++round) {
      team.run([&](std::uint32_t thread) {
        ++runs[thread];
        team.barrier();
        for (const std::uint32_t count : runs) seen[thread] += count == round ? 1 : 0;
      });
    }
    EXPECT_EQ(runs, std::vector<std::uint32_t>(threads, 100));
    EXPECT_EQ(seen, std::vector<std::uint32_t>(threads, 100 * threads));
  }
}

TEST(ThreadTeam, what_a_thread_throws_is_thrown_when_all_are_done) {
  ThreadTeam team(4);
  for (const std::uint32_t thrower : {0u, 3u}) {
    std::vector<std::uint32_t> runs(4, 0);
    const auto body = [&](std::uint32_t thread) {
      ++runs[thread];
      if (thread >= thrower) throw std::runtime_error("thread " + std::to_string(thread));
    };
    try {
      team.run_each(body);
      ADD_FAILURE() << "nothing is thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "thread " + std::to_string(thrower));
    }
    EXPECT_EQ(runs, std::vector<std::uint32_t>(4, 1));
  }
}

}  // namespace
}  // namespace vecc
