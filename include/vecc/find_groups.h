// Groups of a graph that has none to speak of: one for all neurons, or one for each.
#pragma once

#include "vecc/neuron_graph.h"

namespace vecc {

/// The same graph with groups that are found by what neurons compute, in place of its own: neurons,
/// their order and ids, weights, samples and vocabularies stay as they are. A group is
///
///   - facts of one predicate, kind and shape;
///   - else the neurons of one class and function whose first weight is of one table;
///   - of those that form cycles (layers without weights of their own do), the neurons of one level
///     of the cycle, unless it has more levels than a network has layers: then it is a recursion.
///
/// A fact group that a vocabulary names stays as it is. Time and memory are linear in neurons and
/// edges. Batching by signature: DyNet (Neubig et al. 2017), ED-Batch (Chen et al. 2023); here over
/// the whole graph, before anything runs.
[[nodiscard]] NeuronGraph find_groups(NeuronGraph graph);

}  // namespace vecc
