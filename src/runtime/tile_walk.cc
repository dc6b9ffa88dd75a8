#include "src/runtime/tile_walk.h"

#include <algorithm>
#include <utility>

namespace vecc::cpu {

TileWalk::TileWalk(std::vector<BoundLaunch> launches, std::uint32_t threads,
                   std::uint64_t shared_work)
    : launches_(std::move(launches)),
      shared_work_(shared_work),
      next_tiles_(std::make_unique<std::atomic<std::size_t>[]>(launches_.size())) {
  std::uint32_t users = 0;
  for (std::size_t l = 0; l < launches_.size(); ++l) {
    if (launches_[l].scratch_bytes == 0) continue;
    scratch_bytes_ = std::max(scratch_bytes_, launches_[l].scratch_bytes);
    users = std::max(users, is_shared_out(l) ? threads : 1u);
  }
  // Its pages come when a thread first writes there, near its core.
  while (scratch_.size() < users) scratch_.emplace_back(new std::byte[scratch_bytes_]);
}

void TileWalk::run_tile(const BoundLaunch& launch, std::size_t tile, std::uint32_t thread) const {
  const std::uint32_t type = launch.tile_types == nullptr ? 0 : launch.tile_types[tile];
  if (launch.scratch_bytes == 0) {
    launch.function(&launch.arguments, launch.tiles[tile], launch.tiles[tile + 1], type);
    return;
  }
  KernelArguments own = launch.arguments;
  own.scratch = scratch_[thread].get();
  launch.function(&own, launch.tiles[tile], launch.tiles[tile + 1], type);
}

void TileWalk::run_launch(std::size_t launch) const {
  const BoundLaunch& bound = launches_[launch];
  for (std::size_t tile = 0; tile < bound.tile_count; ++tile) run_tile(bound, tile, 0);
}

bool TileWalk::is_shared_out(std::size_t launch) const {
  return launches_[launch].work >= shared_work_ && launches_[launch].tile_count > 1;
}

void TileWalk::run(std::size_t first, std::size_t last, ThreadTeam& team) {
  bool shares = false;
  for (std::size_t l = first; l < last && team.size() > 1; ++l) shares = shares || is_shared_out(l);
  if (!shares) {
    for (std::size_t l = first; l < last; ++l) run_launch(l);
    return;
  }
  run_shared_out(first, last, team);
}

// Small launches one after another are one thread's; the others wait for it where a large one,
// whose tiles all share, comes next.
void TileWalk::run_shared_out(std::size_t first, std::size_t last, ThreadTeam& team) {
  for (std::size_t l = first; l < last; ++l) next_tiles_[l].store(0, std::memory_order_relaxed);
  team.run([&](std::uint32_t thread) {
    for (std::size_t l = first; l < last; ++l) {
      if (!is_shared_out(l)) {
        if (thread == 0) run_launch(l);
        if (l + 1 < last && is_shared_out(l + 1)) team.barrier();
        continue;
      }
      const BoundLaunch& launch = launches_[l];
      const auto next = [&] { return next_tiles_[l].fetch_add(1, std::memory_order_relaxed); };
      for (std::size_t t = next(); t < launch.tile_count; t = next()) run_tile(launch, t, thread);
      if (l + 1 < last) team.barrier();
    }
  });
}

}  // namespace vecc::cpu
