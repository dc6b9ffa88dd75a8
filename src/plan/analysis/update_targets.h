// What updates store into: parameters and states.
#pragma once

#include <vector>

#include "vecc/program.h"

namespace vecc {

class UpdateTargets {
 public:
  explicit UpdateTargets(const Program& program);
  /// Whether an update stores into the rows of this value.
  [[nodiscard]] bool contain(ValueId value) const;
  /// One value for all that are the same memory: of a parameter the first op that reads it.
  [[nodiscard]] ValueId memory_of(ValueId value) const;

 private:
  const Program& program_;
  std::vector<bool> parameters_;       // by parameter: it is updated
  std::vector<ValueId> states_;        // that are updated, sorted
  std::vector<ValueId> first_weight_;  // by parameter
};

}  // namespace vecc
