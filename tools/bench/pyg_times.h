// The peer of the commands that measure sets of small graphs: tools/bench/pyg/time_tu.py.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "time_program.h"

namespace vecc::tools {

struct PygRun {
  std::string python;  ///< one that has torch_geometric
  std::string data;    ///< a folder in TUDataset text
  std::string model;   ///< gcn, sage, gin
  std::uint32_t dim = 10;
  bool on_cpu = false;
  TimeOptions time;                    ///< warm-up, repeats, threads
  std::vector<std::string> arguments;  ///< more of the script's
};
/// Runs the script and returns what it printed, an object with "device" and, as the script says,
/// `times`. Error: DeviceFailure.
[[nodiscard]] Result<nlohmann::json> time_pyg(const PygRun& run, const std::string& times);

}  // namespace vecc::tools
