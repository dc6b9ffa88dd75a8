// A Plan's index arrays as kernels read them: 16 bits where every entry of the lists of a launch
// fits, else 32.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "src/plan/analysis/narrow_arrays.h"
#include "vecc/plan.h"

namespace vecc::cpu {

class NativeArrays {
 public:
  explicit NativeArrays(const Plan& plan);

  /// Whether all lists of a launch fit 16 bits.
  [[nodiscard]] bool is_narrow(const Launch& launch) const { return fits_.has_all_of(launch); }
  /// An array's entries of 16 bits (`narrow`) or 32; made when first asked for.
  [[nodiscard]] const void* entries(ArrayIndex array, bool narrow);
  [[nodiscard]] const std::uint32_t* words(ArrayIndex array);
  /// The entries of one that runs fill (Plan::filled); null of none.
  [[nodiscard]] std::uint32_t* filled(ArrayIndex array);
  /// When all were asked for: lets the others, and unread ones of 32 bits, go.
  void drop_unread();
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  using Array = std::shared_ptr<const std::vector<std::uint32_t>>;
  std::vector<Array> arrays_;
  NarrowArrays fits_;                                         // 16 bits an entry
  std::vector<bool> read_;                                    // by array: its 32 bits
  std::map<ArrayIndex, std::vector<std::uint32_t>*> filled_;  // those of `arrays_` that runs fill
  std::map<ArrayIndex, std::vector<std::uint16_t>> narrow_;
};

}  // namespace vecc::cpu
