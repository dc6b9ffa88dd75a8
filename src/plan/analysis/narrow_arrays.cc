#include "src/plan/analysis/narrow_arrays.h"

#include <algorithm>
#include <limits>

namespace vecc {

NarrowArrays::NarrowArrays(const Plan& plan) {
  for (const auto& array : plan.arrays) {
    fits_.push_back(std::ranges::all_of(*array, [](std::uint32_t entry) {
      return entry <= std::numeric_limits<std::uint16_t>::max();
    }));
  }
}

bool NarrowArrays::has_all_of(const Launch& launch) const {
  if (launch.order != kNone && !fits_[launch.order]) return false;
  return std::ranges::all_of(launch.accesses, [&](const AccessBinding& access) {
    return access.list == kNone || fits_[access.list];
  });
}

}  // namespace vecc
