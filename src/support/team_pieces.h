// Pieces of one work, shared by the threads of a team.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "src/support/thread_team.h"

namespace vecc {

/// Calls body(begin, end) for pieces of 0 .. count - 1, of `size` each but the last, several at
/// once. It must not throw.
template <class Body>
void for_team_pieces(ThreadTeam& team, std::size_t count, std::size_t size, const Body& body) {
  const std::size_t pieces = (count + size - 1) / size;
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::uint32_t) {
    for (std::size_t p = next++; p < pieces; p = next++) {
      body(p * size, p + 1 < pieces ? (p + 1) * size : count);
    }
  };
  if (pieces > 1 && team.size() > 1) {
    team.run(work);
  } else {
    work(0);
  }
}

}  // namespace vecc
