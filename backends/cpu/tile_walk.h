// A run of a Plan: launches that are bound to code and memory, walked tile by tile, alone or by all
// threads of a team. Stands on the standard library alone: programs that --emit=cpp writes contain
// it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/support/thread_team.h"

namespace vecc::cpu {

/// As `Arguments` in src/kernel/prelude/kernels.h.
struct KernelArguments {
  void* const* data;
  const void* const* lists;
  const unsigned* const* words;
  const unsigned* offsets;
  const void* order;
  unsigned rows;
  unsigned members;
};
/// The arguments are KernelArguments.
using KernelFunction = void (*)(const void*, unsigned begin, unsigned end, unsigned type);

/// Work (see Launch::work) from which waking other threads pays: some 20 us of a core. Less is over
/// before a thread that gave its core away has one again.
inline constexpr std::uint64_t kSharedWork = 1 << 18;

struct BoundLaunch {
  KernelFunction function = nullptr;
  KernelArguments arguments{};
  std::uint64_t work = 0;
  std::size_t tile_count = 0;
  const std::uint32_t* tiles = nullptr;       ///< tile t is rows tiles[t] .. tiles[t + 1] - 1
  const std::uint32_t* tile_types = nullptr;  ///< by tile; null: 0
};

class TileWalk {
 public:
  TileWalk() = default;
  /// Tiles of launches with less work than `shared_work` stay on one thread.
  explicit TileWalk(std::vector<BoundLaunch> launches, std::uint64_t shared_work = kSharedWork);

  /// Launches first .. last - 1, in order.
  void run(std::size_t first, std::size_t last, ThreadTeam& team);
  /// One of them, here.
  void run_launch(std::size_t launch) const;

 private:
  void run_tile(const BoundLaunch& launch, std::size_t tile) const;
  [[nodiscard]] bool is_shared_out(std::size_t launch) const;
  void run_shared_out(std::size_t first, std::size_t last, ThreadTeam& team);

  std::vector<BoundLaunch> launches_;
  std::uint64_t shared_work_ = kSharedWork;
  std::unique_ptr<std::atomic<std::size_t>[]> next_tiles_;  // by launch that is shared out
};

}  // namespace vecc::cpu
