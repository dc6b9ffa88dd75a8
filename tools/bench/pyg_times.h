// The peer of the commands that measure sets of small graphs: tools/bench/pyg/time_tu.py.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "time_program.h"
#include "tools/common/interrupt.h"

namespace vecc::tools {

/// What is measured of each set by each model, and beside what.
struct SetBenchOptions {
  std::vector<std::string> data = {};    ///< folders in TUDataset text
  std::vector<std::string> models = {};  ///< gcn, sage, gin
  std::uint32_t dim = 10;
  TimeOptions time = {};
  std::string python = "python3";  ///< one that has torch_geometric; empty: no peer
};

/// A table of each set by each model, until an interrupt: what was measured is printed.
template <class Table>
[[nodiscard]] Result<std::vector<Table>> bench_sets(
    const SetBenchOptions& options,
    const std::function<Result<Table>(const std::string& data, const std::string& model)>& bench) {
  const DeferInterrupt defer;
  std::vector<Table> tables;
  for (const std::string& data : options.data) {
    for (const std::string& model : options.models) {
      if (interrupt_pending()) break;
      VECC_TRY(tables.emplace_back(), bench(data, model));
    }
  }
  return tables;
}

/// Runs the script with more `arguments` and returns what it printed, an object with "device" and,
/// as the script says, `times`. Error: DeviceFailure.
[[nodiscard]] Result<nlohmann::json> time_pyg(const SetBenchOptions& options,
                                              const std::string& data, const std::string& model,
                                              bool on_cpu, const std::string& times,
                                              const std::vector<std::string>& arguments = {});

}  // namespace vecc::tools
