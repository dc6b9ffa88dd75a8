// Tasks over the threads of a team, each thread taking the next one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "src/support/thread_team.h"

namespace vecc::kg {

/// Runs body(task) for 0 .. tasks - 1; a body's result must not depend on the thread or the order.
/// What one throws is thrown here.
template <class Body>
void run_tasks(ThreadTeam& team, std::size_t tasks, const Body& body) {
  std::atomic<std::size_t> next = 0;
  team.run_throwing([&](std::uint32_t) {
    for (std::size_t task = next++; task < tasks; task = next++) body(task);
  });
}

}  // namespace vecc::kg
