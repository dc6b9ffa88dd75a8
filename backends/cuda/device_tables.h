// What launches read beside numbers: lists, offsets and words, in one piece of a GPU's memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/device_block.h"
#include "src/plan/analysis/narrow_arrays.h"
#include "vecc/plan.h"

namespace vecc::cuda {

class DeviceTables {
 public:
  explicit DeviceTables(const Plan& plan) : plan_(plan), narrow_(plan) {}

  /// Whether all lists of a launch fit 16 bits an entry.
  [[nodiscard]] bool is_narrow(const Launch& launch) const { return narrow_.has_all_of(launch); }
  /// Where an array of the Plan begins, of 16 or 32 bits an entry; it is copied once.
  std::uint64_t add(ArrayIndex array, bool narrow);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_.size(); }
  /// To the device, from `memory`'s first byte on; what is here is gone.
  void upload(const DeviceMemory& memory);

 private:
  template <class Entry>
  std::uint64_t add(std::span<const Entry> entries) {
    constexpr std::uint64_t kAlignment = 256;
    const std::uint64_t begin = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(begin + entries.size_bytes());
    if (!entries.empty()) std::memcpy(bytes_.data() + begin, entries.data(), entries.size_bytes());
    return begin;
  }

  const Plan& plan_;
  NarrowArrays narrow_;
  std::map<std::pair<ArrayIndex, bool>, std::uint64_t> begins_;  // by array and width
  std::vector<std::byte> bytes_;
};

}  // namespace vecc::cuda
