// A later data set in the numbers of an earlier one's graph, so that weights of that graph fit.
#pragma once

#include <string>
#include <vector>

#include "tools/import/load/graph_set.h"
#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

struct EarlierGraph {
  std::string path;
  std::vector<Vocabulary> vocabularies;  ///< those that number something
};

/// Errors: those of read_graph(); MissingValues (a graph without vocabularies).
[[nodiscard]] Result<EarlierGraph> read_earlier(const std::string& path);

/// Node labels and classes get the earlier graph's numbers, and all of its names. `zero_unknown`: a
/// node label that it lacks becomes kUnknownLabel. Errors, with both lists: DanglingReference (a
/// name that the earlier graph lacks); BadTable (no labels, where it has some).
[[nodiscard]] Result<void> number_like(const EarlierGraph& earlier, bool zero_unknown,
                                       GraphSet& data);

/// The same for relations, node types and classes. Entities keep their numbers, as their weights
/// are loaded by name; each has to be known where the earlier graph has weights for them.
[[nodiscard]] Result<void> number_like(const EarlierGraph& earlier, TypedGraph& data);

}  // namespace vecc::tools
