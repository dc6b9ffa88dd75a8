// A run of a Plan: launches that are bound to code and memory, walked tile by tile, alone or by all
// threads of a team. Stands on the standard library alone: programs that --emit=cpp writes contain
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/runtime/shared_steps.h"
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
  void* scratch;                      ///< null: TileWalk has it, each thread its own
  const void* interpreter = nullptr;  ///< of a kernel that is not compiled (kernel_interpreter.h)
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
  std::uint64_t scratch_bytes = 0;            ///< that each thread needs, for long rows
  bool updates = false;  ///< it stores tables alone, with subnormal numbers as zero
};

class TileWalk {
 public:
  TileWalk() = default;
  /// For teams of up to `threads`. Tiles of launches with less work than `shared_work` stay on one
  /// thread. Throws std::bad_alloc if there is no room for the launches' scratch memory.
  TileWalk(std::vector<BoundLaunch> launches, std::uint32_t threads,
           std::uint64_t shared_work = kSharedWork);

  /// Launches first .. last - 1, in order.
  void run(std::size_t first, std::size_t last, ThreadTeam& team);
  /// One of them, here.
  void run_launch(std::size_t launch) const;
  /// A tile of one, here; `thread`: whose scratch memory it has.
  void run_tile(std::size_t launch, std::size_t tile, std::uint32_t thread) const {
    run_tile(launches_[launch], tile, thread);
  }
  [[nodiscard]] const std::vector<BoundLaunch>& launches() const { return launches_; }
  /// Scratch memory of all threads.
  [[nodiscard]] std::uint64_t bytes() const { return scratch_bytes_ * scratch_.size(); }

 private:
  void run_tile(const BoundLaunch& launch, std::size_t tile, std::uint32_t thread) const;
  [[nodiscard]] bool is_shared_out(std::size_t launch) const;

  std::vector<BoundLaunch> launches_;
  std::uint64_t shared_work_ = kSharedWork;
  SharedSteps steps_;                                  // by launch
  std::uint64_t scratch_bytes_ = 0;                    // of a thread
  std::vector<std::unique_ptr<std::byte[]>> scratch_;  // by thread that may need some
};

}  // namespace vecc::cpu
