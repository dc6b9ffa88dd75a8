// Work in pieces that threads take one after another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "src/support/thread_team.h"

namespace vecc {

/// Calls body(next) on up to `threads` threads (0: as many as there are cores), no more than there
/// are pieces; next() is the number of a piece that no one has taken, none when all `pieces` are.
/// What a body throws is thrown when all have ended.
template <class Body>
void split_work(std::uint32_t threads, std::uint64_t pieces, const Body& body) {
  if (pieces == 0) return;
  std::atomic<std::uint64_t> taken{0};
  const auto next = [&]() -> std::optional<std::uint64_t> {
    const std::uint64_t piece = taken.fetch_add(1, std::memory_order_relaxed);
    if (piece >= pieces) return std::nullopt;
    return piece;
  };
  const std::uint64_t wanted = threads == 0 ? std::thread::hardware_concurrency() : threads;
  const auto used = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, pieces));
  if (used == 1) return body(next);
  ThreadTeam team(used);
  team.run_throwing([&](std::uint32_t) { body(next); });
}

}  // namespace vecc
