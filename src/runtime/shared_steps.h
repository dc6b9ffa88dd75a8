// Steps, one after another, over the threads of a team: of a large step each thread takes the next
// tile, small ones are one thread's. A step begins when all tiles of the one before are done; which
// threads did them makes no difference, so a thread whose core another program has is not waited
// for, but for the tile that it is in.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/support/thread_team.h"

namespace vecc::cpu {

class SharedSteps {
 public:
  SharedSteps() = default;
  explicit SharedSteps(std::size_t steps) : progress_(new Progress[steps]) {}

  /// Steps first .. last - 1. `walk.is_shared_out(step)`; of those `walk.tiles(step)`, below 2^32 -
  /// 2^16, and `walk.run_tile(step, tile, thread)`; of others `walk.run_step(step)`, which runs
  /// alone. None throws.
  template <class Walk>
  void run(std::size_t first, std::size_t last, ThreadTeam& team, const Walk& walk) {
    for (std::size_t s = first; s < last; ++s) {
      progress_[s].taken.store(0, std::memory_order_relaxed);
      progress_[s].done.store(0, std::memory_order_relaxed);
    }
    team.run([&](std::uint32_t thread) {
      for (std::size_t s = first; s < last;) {
        s = walk.is_shared_out(s) ? run_shared(s, thread, walk) : run_alone(s, last, walk);
      }
    });
  }

 private:
  struct Progress {
    std::atomic<std::uint32_t> taken{0};
    std::atomic<std::uint32_t> done{0};
  };

  // Of `count` pieces of step s, those that this thread gets; then the others' are done, too.
  template <class Body>
  void run_pieces(std::size_t s, std::uint32_t count, const Body& body) {
    Progress& progress = progress_[s];
    // A thread that comes late finds most steps done.
    if (progress.done.load(std::memory_order_acquire) == count) return;
    const auto next = [&] { return progress.taken.fetch_add(1, std::memory_order_relaxed); };
    std::uint32_t mine = 0;
    for (std::uint32_t piece = next(); piece < count; piece = next(), ++mine) body(piece);
    if (mine > 0) progress.done.fetch_add(mine, std::memory_order_acq_rel);
    for (Backoff backoff; progress.done.load(std::memory_order_acquire) != count;) backoff.pause();
  }

  template <class Walk>
  std::size_t run_shared(std::size_t s, std::uint32_t thread, const Walk& walk) {
    run_pieces(s, static_cast<std::uint32_t>(walk.tiles(s)),
               [&](std::uint32_t tile) { walk.run_tile(s, tile, thread); });
    return s + 1;
  }

  // All small steps up to the next large one are one piece: a thread's, in its caches.
  template <class Walk>
  std::size_t run_alone(std::size_t first, std::size_t last, const Walk& walk) {
    std::size_t end = first + 1;
    while (end < last && !walk.is_shared_out(end)) ++end;
    run_pieces(first, 1, [&](std::uint32_t) {
      for (std::size_t s = first; s < end; ++s) walk.run_step(s);
    });
    return end;
  }

  std::unique_ptr<Progress[]> progress_;  // by step
};

}  // namespace vecc::cpu
