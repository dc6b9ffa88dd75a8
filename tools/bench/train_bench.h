// vecc-bench train: epochs a second beside the loop that a user of PyTorch Geometric writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pyg_times.h"
#include "run_series.h"

namespace vecc::tools {

struct TrainBenchOptions {
  SetBenchOptions sets{.models = {"gcn"}};  ///< warm-up and repeats: epochs
  double rate = 0.01;
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
