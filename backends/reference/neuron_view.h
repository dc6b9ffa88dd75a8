// What one neuron of a graph reads.
#pragma once

#include <cstdint>
#include <span>

#include "vecc/neuron_graph.h"

namespace vecc::reference {

/// A neuron with its columns, into the graph.
struct NeuronView {
  const NeuronRange* range = nullptr;
  const NeuronFunction* function = nullptr;  ///< null for a fact
  std::span<const NeuronId> inputs;
  std::span<const WeightId> weights;  ///< like inputs, or empty: all units; a learnable fact: one
  WeightId offset = kNoWeight;
  std::span<const std::uint32_t> words;                     ///< of its transformation
  NumberRow constant{static_cast<const double*>(nullptr)};  ///< a constant fact's value

  [[nodiscard]] WeightId weight(std::size_t input) const {
    return weights.empty() ? kNoWeight : weights[input];
  }
  /// The length of [offset] ++ [W_i * x_i].
  [[nodiscard]] std::size_t element_count() const {
    return inputs.size() + (offset == kNoWeight ? 0 : 1);
  }
};
[[nodiscard]] NeuronView view_neuron(const NeuronGraph& graph, NeuronId neuron);

/// A weight's table; its shape is the weight's.
[[nodiscard]] const WeightTable& table_of(const NeuronGraph& graph, WeightId weight);

/// What a neuron does with its list of elements before its transformation.
enum class Combining : std::uint8_t {
  Zero,     ///< no element: zeros (SUM, AVG: of the declared shape; COUNT: the scalar 0)
  One,      ///< the scalar 1: COUNT, SOFTMAX and SPARSEMAX of one element without transformation
  Element,  ///< the only element as it is: NeuraLogic's skip rule
  Apply,    ///< the combination over all elements
  Invalid,  ///< no element, and a combination that needs one
};
[[nodiscard]] Combining combining_of(const NeuronFunction& function, std::size_t element_count);

}  // namespace vecc::reference
