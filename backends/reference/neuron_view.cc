#include "backends/reference/neuron_view.h"

namespace vecc::reference {

NeuronView view_neuron(const NeuronGraph& graph, NeuronId neuron) {
  const NeuronRange& range = graph.ranges[graph.range_of(neuron)];
  const std::uint64_t row = neuron - range.first;
  NeuronView view;
  view.range = &range;
  if (range.fact == FactKind::Constant) {
    const std::uint64_t size = range.shape.size();
    view.constant = graph.values.row(range.value_begin + size * row);
  }
  if (range.fact == FactKind::Learnable) {
    view.weights = std::span(graph.weights).subspan(range.weight_begin + row, 1);
  }
  if (range.fact != FactKind::NotAFact) return view;
  view.function = &graph.functions[range.function];
  const std::uint64_t first = graph.input_begin[neuron];
  view.inputs = std::span(graph.inputs).subspan(first, graph.input_begin[neuron + 1] - first);
  if (range.weight_begin != kNoColumn) {
    const std::uint64_t begin = range.weight_begin + (first - graph.input_begin[range.first]);
    view.weights = std::span(graph.weights).subspan(begin, view.inputs.size());
  }
  if (range.offset_begin != kNoColumn) view.offset = graph.offsets[range.offset_begin + row];
  if (const std::uint32_t width = word_count(view.function->transformation.id); width > 0) {
    view.words = std::span(graph.words).subspan(range.word_begin + width * row, width);
  }
  return view;
}

const WeightTable& table_of(const NeuronGraph& graph, WeightId weight) {
  return graph.weight_tables[graph.table_of_weight[weight]];
}

Combining combining_of(const NeuronFunction& function, std::size_t element_count) {
  if (element_count == 0) {
    switch (function.combination) {
      case Combination::Sum:
      case Combination::Avg:
      case Combination::Count: return Combining::Zero;
      case Combination::Max:
      case Combination::Min:
      case Combination::Concat:
      case Combination::Softmax:
      case Combination::Sparsemax:
      case Combination::Product:
      case Combination::ElProduct:
      case Combination::CrossSum:
      case Combination::CosSim:
      case Combination::ElMax:
      case Combination::ElMin:
      case Combination::FunctionGraph: return Combining::Invalid;
    }
  }
  if (element_count > 1) return Combining::Apply;
  switch (info(function.combination).single) {
    case CombinationSingle::Skipped: return Combining::Element;
    case CombinationSingle::One:
      return function.transformation.id == Transformation::Identity ? Combining::One
                                                                    : Combining::Element;
    case CombinationSingle::Applied: return Combining::Apply;
  }
  fail_check("known combination", __FILE__, __LINE__, function.text());
}

}  // namespace vecc::reference
