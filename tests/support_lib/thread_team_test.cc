// A team's threads: each runs a body at most once a round, none afterwards, and what one throws
// reaches the caller.
#include "src/support/thread_team.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace vecc {
namespace {

using namespace std::chrono_literals;

TEST(ThreadTeam, bodies_run_once_a_round_and_none_runs_afterwards) {
  for (const std::uint32_t threads : {1u, 2u, 5u}) {
    ThreadTeam team(threads);
    ASSERT_EQ(team.size(), threads);
    std::vector<std::uint32_t> runs(threads,
                                    0);  // written by each without a lock: the sanitizer sees
    for (std::uint32_t round = 1; round <= 1000; ++round) {
      team.run([&](std::uint32_t thread) { ++runs[thread]; });
      ASSERT_EQ(runs[0], round);
      for (const std::uint32_t count : runs) ASSERT_LE(count, round);
    }
  }
}

TEST(ThreadTeam, others_come_while_there_is_work) {
  ThreadTeam team(3);
  for (int round = 0; round < 20; ++round) {
    std::atomic<std::uint32_t> came{0};
    team.run([&](std::uint32_t) {
      ++came;
      const auto deadline = std::chrono::steady_clock::now() + 60s;
      while (came != 3 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
    EXPECT_EQ(came, 3);
  }
}

TEST(ThreadTeam, what_a_thread_throws_is_thrown_when_all_are_done) {
  ThreadTeam team(4);
  for (const std::uint32_t thrower : {0u, 3u}) {
    std::atomic<std::uint32_t> came{0};
    const auto body = [&](std::uint32_t thread) {
      ++came;
      while (came != 4) std::this_thread::yield();
      if (thread >= thrower) throw std::runtime_error("thread " + std::to_string(thread));
    };
    try {
      team.run_throwing(body);
      ADD_FAILURE() << "nothing is thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "thread " + std::to_string(thrower));
    }
  }
}

}  // namespace
}  // namespace vecc
