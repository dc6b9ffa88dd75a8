#include "src/plan/analysis/narrow_arrays.h"

#include <algorithm>
#include <limits>

#include "src/support/list_threads.h"

namespace vecc {

NarrowArrays::NarrowArrays(const Plan& plan) {
  for (ArrayIndex a = 0; a < plan.arrays.size(); ++a) {
    const std::vector<std::uint32_t>& array = *plan.arrays[a];
    fits_.push_back(!plan.is_filled(a) && holds_for_all(array.size(), [&](std::size_t i) {
      return array[i] <= std::numeric_limits<std::uint16_t>::max();
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
