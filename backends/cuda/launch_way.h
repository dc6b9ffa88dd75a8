// How the kernels of a Plan are started: decided here, once, when it is compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vecc/target.h"

namespace vecc::cuda {

enum class LaunchWay : std::uint8_t {
  /// CUDA graphs: they take time and memory to make, then a launch takes half as long, and
  /// independent ones run at once.
  Graph,
  /// One launch after another on the device's stream: there is nothing to make.
  Stream,
};
/// "as CUDA graphs", "one after another".
[[nodiscard]] std::string_view text_of(LaunchWay way);

/// Of a Plan of so many launches that runs `runs` times; 0: often. Results are the same bits.
[[nodiscard]] LaunchWay choose_launch_way(std::size_t launches, std::uint64_t runs,
                                          const LaunchTimes& times);

}  // namespace vecc::cuda
