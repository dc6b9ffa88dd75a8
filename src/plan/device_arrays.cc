#include "src/plan/device_arrays.h"

#include "src/plan/analysis/array_reads.h"

namespace vecc {

std::uint64_t bytes_of_device_arrays(const Plan& plan) {
  const ArrayReads reads(plan);
  std::uint64_t bytes = 0;
  for (ArrayIndex a = 0; a < plan.arrays.size(); ++a) {
    const std::uint64_t entries = plan.arrays[a]->size();
    if (reads.wide[a]) bytes += device_array_bytes(entries * sizeof(std::uint32_t));
    if (reads.narrow[a]) bytes += device_array_bytes(entries * sizeof(std::uint16_t));
  }
  return bytes;
}

}  // namespace vecc
