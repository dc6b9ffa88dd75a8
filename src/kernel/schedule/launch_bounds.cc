#include "src/kernel/schedule/launch_bounds.h"

#include <algorithm>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/lanes.h"

namespace vecc {
namespace {

bool sums_outer_products(const KernelSchedule& schedule) {
  return schedule.loop != RowLoop::LargeSum &&
         std::ranges::any_of(schedule.phases, [](const PhaseSchedule& phase) {
           return phase.loop == PhaseLoop::WarpTiles || phase.loop == PhaseLoop::BlockTiles ||
                  phase.loop == PhaseLoop::TensorTiles;
         });
}

// Blocks of which each thread has so many registers and each block so many bytes (0: none).
std::uint32_t blocks_of(const Target& target, std::uint32_t registers, std::uint32_t bytes) {
  constexpr std::uint32_t kReservedBytes = 1024;  // that CUDA takes for each block
  const std::uint32_t of_registers = target.registers / (registers * kCudaThreads);
  const std::uint32_t of_memory =
      bytes == 0 ? of_registers : target.shared_bytes / (bytes + kReservedBytes);
  return std::min({of_registers, of_memory, target.blocks_of_multiprocessor(kCudaThreads)});
}

}  // namespace

// Where blocks wait for members that come from all over the memory, or for rows while tensor cores
// have hardly anything to do, as many are to run at once as some registers leave (next to none are
// spilled). Where many members are to be in flight a compiler that hears of no number takes fewer
// registers, and one member after the other; of several loops with many numbers each it takes more
// than it needs.
std::uint32_t least_blocks(const Kernel& kernel, const KernelSchedule& schedule,
                           const Target& target) {
  constexpr std::uint32_t kFewRegisters = 64;  // of a thread
  constexpr std::uint32_t kRegisters = 80;
  constexpr std::uint32_t kManyRegisters = 128;
  constexpr std::uint64_t kMatrix = 4096;
  constexpr std::uint64_t kManyMembers = 4;
  constexpr std::uint64_t kManyNumbers = 16;
  const bool is_f32 = kernel.dtype == DType::F32;
  const bool rounds = kernel.precision != MatmulPrecision::Exact;
  const bool waits = sums_outer_products(schedule) && is_f32 && widest_row(kernel) <= kMatrix;
  if (waits || schedule.loop == RowLoop::TensorCores || schedule.loop == RowLoop::MemoryRows ||
      (is_f32 && !rounds && schedule.loop == RowLoop::LargeMatrix)) {
    return blocks_of(target, kRegisters, kProductBytes);
  }
  if (is_f32 && schedule.is_large()) {
    return blocks_of(target, kManyRegisters, kProductBytes);
  }
  const std::vector<MemberLoop>& classes = schedule.members.of_class;
  std::uint64_t most = kManyMembers;
  if (classes.size() > 1) {
    most = std::min(most, kManyNumbers / lane_entries(widest_row(kernel), schedule.row_lanes()));
  }
  if (std::ranges::max(classes, {}, &MemberLoop::batch).batch <= most) return 0;
  return blocks_of(target, is_f32 ? kFewRegisters : kManyRegisters, 0);
}

}  // namespace vecc
