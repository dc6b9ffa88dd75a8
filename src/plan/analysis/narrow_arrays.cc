#include "src/plan/analysis/narrow_arrays.h"

#include <algorithm>
#include <limits>

#include "src/support/list_threads.h"

namespace vecc {

NarrowArrays::NarrowArrays(const Plan& plan) {
  for (const auto& array : plan.arrays) {
    fits_.push_back(holds_for_all(array->size(), [&](std::size_t i) {
      return (*array)[i] <= std::numeric_limits<std::uint16_t>::max();
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
