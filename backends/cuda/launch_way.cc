#include "backends/cuda/launch_way.h"

namespace vecc::cuda {

std::string_view text_of(LaunchWay way) {
  return way == LaunchWay::Graph ? "as CUDA graphs" : "one after another";
}

LaunchWay choose_launch_way(std::size_t launches, std::uint64_t runs) {
  // A graph of so many is made in less than a millisecond, whatever it is worth.
  constexpr std::size_t kFew = 256;
  // To add a launch to a graph and instantiate that takes 5 to 13 us and 0.4 KB of the host, to
  // run it some 1.1 us; on a stream it takes 2.2 us (an H100).
  constexpr std::uint64_t kRunsToPay = 5;
  const bool pays = runs == 0 || runs >= kRunsToPay;
  return pays || launches <= kFew ? LaunchWay::Graph : LaunchWay::Stream;
}

}  // namespace vecc::cuda
