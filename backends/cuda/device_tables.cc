#include "backends/cuda/device_tables.h"

#include <algorithm>
#include <limits>

namespace vecc::cuda {

DeviceTables::DeviceTables(const Plan& plan) : plan_(plan) {
  for (const auto& array : plan.arrays) {
    fits_.push_back(std::ranges::all_of(*array, [](std::uint32_t entry) {
      return entry <= std::numeric_limits<std::uint16_t>::max();
    }));
  }
}

bool DeviceTables::is_narrow(const Launch& launch) const {
  if (launch.order != kNone && !fits_[launch.order]) return false;
  return std::ranges::all_of(launch.accesses, [&](const AccessBinding& access) {
    return access.list == kNone || fits_[access.list];
  });
}

std::uint64_t DeviceTables::add(ArrayIndex array, bool narrow) {
  const auto found = begins_.find({array, narrow});
  if (found != begins_.end()) return found->second;
  const std::vector<std::uint32_t>& wide = *plan_.arrays[array];
  std::uint64_t begin = 0;
  if (narrow) {
    std::vector<std::uint16_t> entries(wide.size());
    std::ranges::transform(wide, entries.begin(),
                           [](std::uint32_t entry) { return static_cast<std::uint16_t>(entry); });
    begin = append(std::span<const std::uint16_t>(entries));
  } else {
    begin = append(std::span<const std::uint32_t>(wide));
  }
  begins_.emplace(std::pair(array, narrow), begin);
  return begin;
}

void DeviceTables::upload(const DeviceMemory& memory) {
  memory.write(0, bytes_.data(), bytes_.size());
  bytes_ = {};
}

}  // namespace vecc::cuda
