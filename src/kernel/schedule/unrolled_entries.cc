#include "src/kernel/schedule/unrolled_entries.h"

#include <algorithm>

namespace vecc {

std::uint64_t unrolled_entries(const Kernel& kernel, const KernelSchedule& schedule) {
  const std::uint64_t lanes = std::max(schedule.row_lanes(), 1u);
  std::uint64_t entries = 0;
  for (const KernelNode& node : kernel.nodes) entries += (node.shape.size() + lanes - 1) / lanes;
  std::uint64_t members = 0;
  for (const MemberLoop& loop : schedule.members.of_class) members += loop.batch;
  return entries * members;
}

}  // namespace vecc
