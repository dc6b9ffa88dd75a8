// What launches read beside numbers: lists, offsets and words, in one piece of a GPU's memory.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "backends/cuda/device_block.h"
#include "src/plan/analysis/narrow_arrays.h"
#include "src/plan/device_arrays.h"
#include "vecc/plan.h"

namespace vecc::cuda {

class DeviceTables {
 public:
  explicit DeviceTables(const Plan& plan) : plan_(plan), narrow_(plan) {}

  /// Whether all lists of a launch fit 16 bits an entry.
  [[nodiscard]] bool is_narrow(const Launch& launch) const { return narrow_.has_all_of(launch); }
  /// Where an array of the Plan begins, of 16 or 32 bits an entry; it is there once.
  std::uint64_t add(ArrayIndex array, bool narrow);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// All of them to the device, from `memory`'s first byte on, one by one: no second copy of them.
  void upload(const DeviceMemory& memory) const;

 private:
  const Plan& plan_;
  NarrowArrays narrow_;
  std::map<std::pair<ArrayIndex, bool>, std::uint64_t> begins_;  // by array and width
  std::uint64_t bytes_ = 0;
};

}  // namespace vecc::cuda
