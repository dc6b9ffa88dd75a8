// Whether two graphs are one network, numbered in two ways.
#pragma once

#include <string>

#include "vecc/neuron_graph.h"

namespace vecc::test {

struct NetworkComparison {
  /// What differs, or empty: the number of neurons of a class, predicate, function and inputs (by
  /// what those are), samples with their targets.
  std::string difference;
  double largest = 0;  ///< relative difference of two values of one neuron
};

/// Weights are the same by the names of their tables and rows, fixed ones by value; the values of
/// `theirs` are given to both. Inputs of aggregations are compared without their order:
/// NeuraLogic's is that of a hash table. Where the order decides values, only the wiring is
/// compared. `counts_facts`: learnable facts are as many in both; in NeuraLogic's dumps those of
/// the template are once in each sample.
[[nodiscard]] NetworkComparison compare_networks(NeuronGraph ours, const NeuronGraph& theirs,
                                                 bool counts_facts = true);

}  // namespace vecc::test
