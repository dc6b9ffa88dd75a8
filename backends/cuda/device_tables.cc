#include "backends/cuda/device_tables.h"

#include <algorithm>

namespace vecc::cuda {

std::uint64_t DeviceTables::add(ArrayIndex array, bool narrow) {
  const auto found = begins_.find({array, narrow});
  if (found != begins_.end()) return found->second;
  const std::vector<std::uint32_t>& wide = *plan_.arrays[array];
  std::uint64_t begin = 0;
  if (narrow) {
    std::vector<std::uint16_t> entries(wide.size());
    std::ranges::transform(wide, entries.begin(),
                           [](std::uint32_t entry) { return static_cast<std::uint16_t>(entry); });
    begin = add(std::span<const std::uint16_t>(entries));
  } else {
    begin = add(std::span<const std::uint32_t>(wide));
  }
  begins_.emplace(std::pair(array, narrow), begin);
  return begin;
}

void DeviceTables::upload(const DeviceMemory& memory) {
  memory.write(0, bytes_.data(), bytes_.size());
  bytes_ = {};
}

}  // namespace vecc::cuda
