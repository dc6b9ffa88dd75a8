// Shapes of all neurons' values.
#pragma once

#include <span>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::reference {

/// By neuron. `order` has inputs before readers. A neuron that reads one with an error is not
/// looked at. Errors, up to 20: ShapeMismatch (weight against input, elements, declared shape),
/// FunctionDomain, ParameterRange, FanIn, LimitShape, and MissingValues once a weight table.
[[nodiscard]] Result<std::vector<Shape>> infer_shapes(const NeuronGraph& graph,
                                                      std::span<const NeuronId> order);

}  // namespace vecc::reference
