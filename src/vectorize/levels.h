// Levels of a recursive component: its neurons by longest path inside the component.
#pragma once

#include <cstdint>
#include <vector>

#include "src/vectorize/layer_graph.h"
#include "vecc/neuron_graph.h"

namespace vecc::vectorizer {

struct Levels {
  /// Level by level, the component's neurons in ascending order.
  std::vector<std::vector<NeuronId>> neurons;
  /// Whether levels are aligned at the end (as late as possible) rather than at the start.
  bool aligned_at_end = false;
};

/// Levels a component, aligned at the start or at the end: whichever has fewer layers (pairs of a
/// level and a vertex), then fewer skip connections (edges that jump over a level), then the start.
[[nodiscard]] Levels level_component(const NeuronGraph& graph, const LayerGraph& layers,
                                     std::uint32_t component);

}  // namespace vecc::vectorizer
