// Facts as inputs: compiled so that no pass looks at their values, which a run may set.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/weights.h"

namespace vecc {

/// Names of the weight tables that are facts: Parameters of the Program like any other, but no
/// training step learns them.
struct BoundFacts {
  std::vector<std::string> tables;

  [[nodiscard]] bool contains(std::string_view table) const;
};

/// Turns the facts of groups into weight tables `fact/GROUP`, with the graph's values (a unit
/// fact's is 1): row i is the i-th fact of the group in the graph's order. A group is named by its
/// head predicate, all groups of that name together, or by its number. Facts of several shapes
/// become a table a shape: `fact/GROUP/3x1`. Facts that are weights already stay what they are.
/// Errors: Usage (no such group, a group without such facts: both list what there is),
/// DuplicateName, LimitWeights; the graph is then as it was.
[[nodiscard]] Result<BoundFacts> bind_facts(NeuronGraph& graph,
                                            std::span<const std::string> groups);

/// Gives bound facts the file's values: all of them, and nothing else. Errors: WeightsDiffer for
/// every tensor that is no bound fact (by name, with the way to bind it) and every one that is not
/// there or does not fit; NotFinite.
[[nodiscard]] Result<void> load_facts(NeuronGraph& graph, const BoundFacts& facts, WeightFile file);

/// Moves the tensors that are facts out of a graph's weights_of().
[[nodiscard]] WeightFile take_facts(WeightFile& weights, const BoundFacts& facts);

}  // namespace vecc
