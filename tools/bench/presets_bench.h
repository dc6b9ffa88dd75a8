// vecc-bench presets: -O0, -O1, -O2 and every preset of lift-gathers beside PyTorch Geometric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pyg_times.h"
#include "vecc/optimize.h"

namespace vecc::tools {

struct PresetsBenchOptions {
  SetBenchOptions sets{.models = {"gcn", "sage"}};
  std::vector<std::string> configurations;  ///< empty: all
};

/// One way to run one graph.
struct PresetRow {
  std::string configuration;  ///< "-O0", a preset's name, "PyG"
  bool peer = false;
  std::uint64_t ops = 0;
  std::uint64_t rows = 0;
  double optimize_seconds = 0;
  double predicted_seconds = 0;  ///< of a forward pass, by the cost model
  ProgramTimes times;
};
struct PresetTable {
  std::string set;
  std::string model;
  std::vector<PresetRow> rows;
};

/// What a configuration is: "-O0", "-O1", "-O2", or a preset's name at -O2. Error: Usage.
[[nodiscard]] Result<OptimizeOptions> configuration_of(const std::string& name);

/// Grounds each set by each model (vecc-import beside this program), runs every configuration and
/// the peer. Errors: those of the stages; DeviceFailure if vecc-import or the peer fails.
[[nodiscard]] Result<std::vector<PresetTable>> bench_presets(const PresetsBenchOptions& options);

}  // namespace vecc::tools
