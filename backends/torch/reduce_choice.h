// Which way of adding up gathered rows costs least: the rule behind TorchReduce::Auto.
#pragma once

#include <cstdint>

#include "vecc/backend.h"

namespace vecc::libtorch {

struct RowSumSize {
  std::uint64_t members = 0;  ///< rows that are added
  std::uint64_t columns = 0;  ///< elements of a row
  bool cuda = false;
};
/// Never Auto.
[[nodiscard]] TorchReduce choose_reduce(const RowSumSize& size);

}  // namespace vecc::libtorch
