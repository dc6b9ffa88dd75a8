// vecc-bench compile: import, vectorize and optimize of a graph repeated a few times over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure.h"

namespace vecc::tools {

struct CompileBenchOptions {
  std::string input;
  std::vector<std::uint32_t> times{1, 10, 100};  ///< copies of the graph
  std::uint32_t repeat = 3;                      ///< fresh processes a size
  std::uint32_t level = 2;                       ///< -O
  std::string temporary_parent;                  ///< where the repeated files go
};

/// One size: the medians over its runs.
struct CompileRow {
  std::uint32_t times = 0;
  CompileMeasurement median;
  double neurons_per_second = 0;
  std::vector<CompileMeasurement> runs;
};

/// Writes each repeated file, measures it in fresh processes, removes it. Says what it does on
/// stderr. Errors: those of import, writing and the measured processes.
[[nodiscard]] Result<std::vector<CompileRow>> bench_compile(const CompileBenchOptions& options);

}  // namespace vecc::tools
