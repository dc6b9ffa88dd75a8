// A Plan's index arrays as kernels read them: 16 bits where every entry of the lists of a launch
// fits, else 32.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "vecc/plan.h"

namespace vecc::cpu {

class NativeArrays {
 public:
  explicit NativeArrays(const Plan& plan);

  /// Whether all lists of a launch fit 16 bits.
  [[nodiscard]] bool is_narrow(const Launch& launch) const;
  /// An array's entries of 16 bits (`narrow`) or 32; made when first asked for.
  [[nodiscard]] const void* entries(ArrayIndex array, bool narrow);
  [[nodiscard]] const std::uint32_t* words(ArrayIndex array) const {
    return arrays_[array]->data();
  }
  /// Of the arrays that were asked for.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  using Array = std::shared_ptr<const std::vector<std::uint32_t>>;
  std::vector<Array> arrays_;
  std::vector<bool> fits_;  // by array
  std::map<ArrayIndex, std::vector<std::uint16_t>> narrow_;
};

}  // namespace vecc::cpu
