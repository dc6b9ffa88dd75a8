// The index arrays of a Plan while it is made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// Equal arrays are one, so that what is read through either is loaded once.
class IndexArrays {
 public:
  using Array = std::shared_ptr<const std::vector<std::uint32_t>>;

  ArrayIndex add(Array array);
  ArrayIndex add(const Index& index);
  /// By number; none are left here.
  [[nodiscard]] std::vector<Array> take() { return std::move(arrays_); }

 private:
  std::vector<Array> arrays_;
  std::map<const void*, ArrayIndex> numbers_;
  std::unordered_multimap<std::uint64_t, ArrayIndex> hashes_;
  std::vector<Array> equal_;  // kept: their addresses stay their own
  std::map<std::tuple<Index::Form, std::uint32_t, std::uint32_t, std::uint32_t>, ArrayIndex>
      regular_;  // of indices that are no lists
};

}  // namespace vecc
