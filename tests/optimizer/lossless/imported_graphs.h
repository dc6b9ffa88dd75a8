// Graphs for the lossless list that are made from data sets.
#pragma once

#include <string>
#include <vector>

#include "tests/optimizer/lossless/lossless_check.h"

namespace vecc::test {

/// A data set under an architecture: {"tu_MUTAG", "gcn"}.
struct ImportedGraph {
  std::string data;  ///< the folder that the test unpack_datasets makes
  std::string model;
};

/// What CI tests: MUTAG under every architecture over sets of graphs. The full list has larger
/// sets, typed graphs and scores of triples too.
[[nodiscard]] std::vector<ImportedGraph> imported_graphs();

/// Its folder, in the build folder.
[[nodiscard]] std::string data_folder(const std::string& data);

/// Grounded with small dimensions and vectorized; kept for the next call with the same graph.
[[nodiscard]] const NamedProgram& imported(const ImportedGraph& graph);

}  // namespace vecc::test
