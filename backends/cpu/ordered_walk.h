// A run of a Plan by turns (TileOrder): what a thread stores in one of them it reads from its
// cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/plan/tile_order.h"
#include "src/runtime/tile_walk.h"
#include "src/support/thread_team.h"

namespace vecc::cpu {

class OrderedWalk {
 public:
  /// Of an order of these launches.
  OrderedWalk(TileOrder order, const std::vector<BoundLaunch>& launches);

  /// Whether there is an order that so many threads can run: several if no launch has scratch
  /// memory.
  [[nodiscard]] bool suits(std::uint32_t threads) const {
    return !order_.empty() && (threads == 1 || !has_scratch_);
  }
  /// All steps; `walk` has their launches.
  void run(const TileWalk& walk, ThreadTeam& team);

 private:
  void run_step(const TileWalk& walk, std::uint32_t step, std::uint32_t thread) const;
  void run_turn(const TileWalk& walk, std::uint32_t turn, std::uint32_t thread);
  void wait_for(const TileStep& step) const;
  void note_done(std::uint32_t step);

  TileOrder order_;
  bool has_scratch_ = false;
  std::vector<std::vector<std::uint32_t>> steps_;       // by launch, in their order
  std::unique_ptr<std::atomic<bool>[]> is_done_;        // by step
  std::unique_ptr<std::atomic<std::uint32_t>[]> done_;  // by launch: its first steps
};

}  // namespace vecc::cpu
