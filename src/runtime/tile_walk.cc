#include "src/runtime/tile_walk.h"

#include <algorithm>
#include <utility>

#include "src/runtime/flush_subnormals.h"

namespace vecc::cpu {

TileWalk::TileWalk(std::vector<BoundLaunch> launches, std::uint32_t threads,
                   std::uint64_t shared_work)
    : launches_(std::move(launches)), shared_work_(shared_work), steps_(launches_.size()) {
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
  const FlushSubnormals flush(launch.updates);
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
  struct Walk {
    const TileWalk& of;
    [[nodiscard]] bool is_shared_out(std::size_t l) const { return of.is_shared_out(l); }
    [[nodiscard]] std::size_t tiles(std::size_t l) const { return of.launches_[l].tile_count; }
    void run_step(std::size_t l) const { of.run_launch(l); }
    void run_tile(std::size_t l, std::size_t tile, std::uint32_t thread) const {
      of.run_tile(of.launches_[l], tile, thread);
    }
  };
  steps_.run(first, last, team, Walk{*this});
}

}  // namespace vecc::cpu
