// The index arrays of an emitted program: the tensors indices_16 and indices_32.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/analysis/narrow_arrays.h"
#include "vecc/plan.h"
#include "vecc/weights.h"

namespace vecc::emit {

class IndexTable {
 public:
  explicit IndexTable(const Plan& plan) : plan_(plan), fits_(plan) {}

  /// Whether a launch reads lists of 16 bits.
  [[nodiscard]] bool is_narrow(const Launch& launch) const;
  /// Where an array of the Plan begins; kNoPlace of none. Each is there once a width.
  std::uint64_t place_of(ArrayIndex array, bool narrow);
  /// Other entries, of 32 bits: where they begin.
  std::uint64_t add(std::span<const std::uint32_t> entries);
  /// What is here is gone.
  void move_to(std::vector<WeightTensor>& tensors);

 private:
  const Plan& plan_;
  NarrowArrays fits_;
  std::map<std::pair<ArrayIndex, bool>, std::uint64_t> places_;  // by array and width
  std::string narrow_;
  std::string wide_;
};

}  // namespace vecc::emit
