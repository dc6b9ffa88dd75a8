// vecc-bench train: epochs a second beside the loop that a user of PyTorch Geometric writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run_series.h"
#include "time_program.h"

namespace vecc::tools {

struct TrainBenchOptions {
  std::vector<std::string> data;           ///< folders in TUDataset text
  std::vector<std::string> models{"gcn"};  ///< gcn, sage, gin
  std::uint32_t dim = 10;
  double rate = 0.01;
  TimeOptions time;                ///< warm-up and repeats: epochs
  std::string python = "python3";  ///< one that has torch_geometric; empty: no peer
};

/// One loop: Adam on the cross-entropy of all samples, the loss read every epoch.
struct TrainRow {
  std::string name;  ///< "-O0", "-O2", "PyG"
  std::string device;
  RunSeries epoch;             ///< seconds of each
  double first_loss = 0;       ///< before the first step
  double last_loss = 0;        ///< before the last one
  double compile_seconds = 0;  ///< from the vectorized Program to the first step; 0: the peer
};
struct TrainTable {
  std::string set;
  std::string model;
  std::vector<TrainRow> rows;
};

/// Errors: those of the stages and of make_trainer(); DeviceFailure if vecc-import or the peer
/// fails.
[[nodiscard]] Result<std::vector<TrainTable>> bench_train(const TrainBenchOptions& options);

}  // namespace vecc::tools
