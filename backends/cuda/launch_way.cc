#include "backends/cuda/launch_way.h"

namespace vecc::cuda {

std::string_view text_of(LaunchWay way) {
  return way == LaunchWay::Graph ? "as CUDA graphs" : "one after another";
}

LaunchWay choose_launch_way(std::size_t launches, std::uint64_t runs, const LaunchTimes& times) {
  const bool pays = runs == 0 || runs >= times.graph_runs;
  return pays || launches <= times.graph_launches ? LaunchWay::Graph : LaunchWay::Stream;
}

}  // namespace vecc::cuda
