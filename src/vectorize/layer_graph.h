// The layer graph: what may become one layer, and in which order.
//
// A vertex is everything in one group with one function (facts: one kind and shape); an edge says
// that some neuron of one vertex reads some neuron of another. Its strong components, from
// Boost.Graph, are the units of scheduling: a component of one vertex without a self loop is a
// plain layer, any other is recursive and is levelled neuron by neuron (levels.h).
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::vectorizer {

struct LayerVertex {
  const NeuronFunction* function = nullptr;  ///< equal functions share one pointer; null for facts
  FactKind fact = FactKind::NotAFact;
  Shape fact_shape;  ///< of a constant fact
  std::vector<std::uint32_t> ranges;
};

struct LayerComponent {
  std::vector<std::uint32_t> vertices;
  bool recursive = false;
  /// Longest path from a source, in components: two components of equal depth are independent.
  std::uint32_t depth = 0;
};

struct LayerGraph {
  std::vector<LayerVertex> vertices;
  std::vector<LayerComponent> components;   ///< by depth, then by first vertex
  std::vector<std::uint32_t> vertex_of;     ///< by neuron
  std::vector<std::uint32_t> component_of;  ///< by vertex
};

[[nodiscard]] LayerGraph build_layer_graph(const NeuronGraph& graph);

}  // namespace vecc::vectorizer
