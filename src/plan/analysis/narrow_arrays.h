// Which of a Plan's index arrays fit 16 bits an entry; of those that a run fills none does.
#pragma once

#include <vector>

#include "vecc/plan.h"

namespace vecc {

class NarrowArrays {
 public:
  explicit NarrowArrays(const Plan& plan);
  /// Whether all lists of a launch, and its order, do.
  [[nodiscard]] bool has_all_of(const Launch& launch) const;

 private:
  std::vector<bool> fits_;  // by array
};

}  // namespace vecc
