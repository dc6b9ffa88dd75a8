// Where the neurons' values are while a Program is being built, and how a neuron's elements are
// visited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::vectorizer {

inline constexpr NeuronId kNoNeuron = std::numeric_limits<NeuronId>::max();
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A layer of more neurons is classified and written in pieces of so many, by several threads.
inline constexpr std::size_t kNeuronsOfPiece = 1 << 14;

/// A value that holds neurons, one row each (or, with member_rows, one row a member of a softmax).
/// A recursive component has a layer a level for each shape.
struct Layer {
  ValueId value = 0;
  Shape shape;
  std::uint32_t rows = 0;
  bool member_rows = false;
  std::uint32_t component = kNone;  ///< the recursive component, or kNone
};

struct Placement {
  std::vector<Layer> layers;
  std::vector<std::uint32_t> layer;  ///< by neuron; kNone: not placed yet
  std::vector<std::uint32_t> row;    ///< by neuron; with member_rows the first row

  [[nodiscard]] const Layer& layer_of(NeuronId n) const { return layers[layer[n]]; }
};

/// Finds a neuron's range; constant time while neurons come in runs.
class RangeCursor {
 public:
  explicit RangeCursor(const NeuronGraph& graph) : graph_(&graph) {}
  const NeuronRange& at(NeuronId n) {
    if (range_ == nullptr || n < range_->first || n - range_->first >= range_->count) {
      range_ = &graph_->ranges[graph_->range_of(n)];
    }
    return *range_;
  }

 private:
  const NeuronGraph* graph_;
  const NeuronRange* range_ = nullptr;
};

/// Number of elements of a neuron's list: its inputs and, if it has one, its offset; of a learnable
/// fact its weight.
[[nodiscard]] inline std::uint64_t element_count(const NeuronGraph& graph, const NeuronRange& range,
                                                 NeuronId n) {
  if (range.fact == FactKind::Learnable) return 1;
  const bool has_offset = range.offset_begin != kNoColumn &&
                          graph.offsets[range.offset_begin + (n - range.first)] != kNoWeight;
  return graph.input_begin[n + std::uint64_t{1}] - graph.input_begin[n] + (has_offset ? 1 : 0);
}

/// Visits the list `[offset] ++ [W_i * x_i]` in order: visit(weight, input), with kNoWeight for the
/// unit weight and kNoNeuron for an offset (or a learnable fact's weight).
template <class Visit>
void for_each_element(const NeuronGraph& graph, const NeuronRange& range, NeuronId n,
                      Visit&& visit) {
  if (range.fact == FactKind::Learnable) {
    visit(graph.weights[range.weight_begin + (n - range.first)], kNoNeuron);
    return;
  }
  if (range.offset_begin != kNoColumn) {
    const WeightId offset = graph.offsets[range.offset_begin + (n - range.first)];
    if (offset != kNoWeight) visit(offset, kNoNeuron);
  }
  const std::uint64_t end = graph.input_begin[n + std::uint64_t{1}];
  const bool weighted = range.weight_begin != kNoColumn;
  const std::uint64_t first_edge = weighted ? graph.input_begin[range.first] : 0;
  for (std::uint64_t e = graph.input_begin[n]; e < end; ++e) {
    visit(weighted ? graph.weights[range.weight_begin + (e - first_edge)] : kNoWeight,
          graph.inputs[e]);
  }
}

}  // namespace vecc::vectorizer
