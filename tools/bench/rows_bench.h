// vecc-bench rows: how many rows the optimizer leaves, layer by layer, beside the thesis'.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vecc/program.h"

namespace vecc::tools {

struct RowsBenchOptions {
  std::vector<std::string> inputs;  ///< graph.pb files, or folders in TUDataset text
  std::vector<std::string> models{"gcn"};
  std::uint32_t dim = 10;
  /// Exactly these passes; then `presets` at -O2.
  std::vector<std::string> passes{"merge-units", "dedup-facts", "drop-unit-linear", "iso-compress",
                                  "dedup-linear-pairs"};
  std::vector<std::string> presets{"agg_true_unlimited"};
};

/// A reduction: members in, rows out.
struct RowsLayer {
  std::string note;            ///< the groups it comes from
  std::uint64_t members = 0;   ///< rows that it reads
  std::uint64_t distinct = 0;  ///< of those, different ones within their segment
  std::uint64_t rows = 0;      ///< rows that it makes
};
/// What is left of one graph by one way to optimize it.
struct RowCounts {
  std::string graph;             ///< "tu_MUTAG gcn", or the file
  std::string configuration;     ///< the passes, or a preset's name
  std::uint64_t input_rows = 0;  ///< of constant facts
  std::uint64_t gathers = 0;     ///< gathers of computed rows that are left
  std::vector<RowsLayer> layers;
  std::uint64_t output_rows = 0;  ///< distinct rows that the outputs read
  std::string thesis;             ///< what it has for this graph, or empty
};

[[nodiscard]] RowCounts count_rows(const Program& program);
/// Errors: those of the stages.
[[nodiscard]] Result<std::vector<RowCounts>> bench_rows(const RowsBenchOptions& options);

}  // namespace vecc::tools
