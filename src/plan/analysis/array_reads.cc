#include "src/plan/analysis/array_reads.h"

#include "src/kernel/kernel_lists.h"
#include "src/plan/analysis/narrow_arrays.h"

namespace vecc {

ArrayReads::ArrayReads(const Plan& plan) : wide(plan.arrays.size()), narrow(plan.arrays.size()) {
  const NarrowArrays fits(plan);
  for (const Launch& launch : plan.launches) {
    const bool is_narrow = has_lists(plan.kernels[launch.kernel]) && fits.has_all_of(launch);
    std::vector<bool>& lists = is_narrow ? narrow : wide;
    if (launch.order != kNone) lists[launch.order] = true;
    for (const AccessBinding& access : launch.accesses) {
      if (access.list != kNone) lists[access.list] = true;
    }
    if (launch.offsets != kNone) wide[launch.offsets] = true;
    for (const ArrayIndex words : launch.words) wide[words] = true;
  }
  for (ArrayIndex a = 0; a < wide.size(); ++a) wide[a] = wide[a] || plan.is_filled(a);
}

}  // namespace vecc
