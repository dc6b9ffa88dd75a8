// Gradients of the oracle: back through the evaluation order, every neuron for itself, in double.
#include <algorithm>
#include <new>
#include <stdexcept>

#include "backends/reference/differentiate_op.h"
#include "backends/reference/evaluation_order.h"
#include "backends/reference/neuron_elements.h"
#include "src/function/differentiate.h"

namespace vecc::reference {
namespace {

// Whether the result depends on the elements. Those that it does not read get no part, not zero
// times something that may be infinite.
bool reads_elements(Combining combining, Combination combination) {
  return combining == Combining::Element ||
         (combining == Combining::Apply && combination != Combination::Count);
}

class NeuronDifferentiator {
 public:
  NeuronDifferentiator(const NeuronGraph& graph, const ReferenceValues& values)
      : graph_(graph), values_(values), elements_(graph, values) {
    result_.begin = values.begin;
    result_.neurons.resize(values.values.size());
    result_.weight_begin.reserve(graph.weight_count() + 1);
    result_.weight_begin.push_back(0);
    for (const WeightTable& table : graph.weight_tables) {
      const std::uint64_t size = table.learnable ? table.shape.size() : 0;
      for (std::uint32_t row = 0; row < table.count; ++row) {
        result_.weight_begin.push_back(result_.weight_begin.back() + size);
      }
    }
    result_.weights.resize(result_.weight_begin.back());
  }

  ReferenceGradients differentiate_all(std::span<const NeuronId> order,
                                       std::span<const double> output_gradients) {
    for (const Sample& sample : graph_.samples) {
      const std::span<double> g = neuron_gradient(sample.output);
      for (std::size_t i = 0; i < g.size(); ++i) g[i] += output_gradients[i];
      output_gradients = output_gradients.subspan(g.size());
    }
    for (auto neuron = order.rbegin(); neuron != order.rend(); ++neuron) {
      differentiate_neuron(*neuron);
    }
    return std::move(result_);
  }

 private:
  // All readers have added their parts before.
  void differentiate_neuron(NeuronId neuron) {
    const std::span<const double> g = neuron_gradient(neuron);
    if (is_zero(g)) return;
    const NeuronView view = view_neuron(graph_, neuron);
    switch (view.range->fact) {
      case FactKind::Unit:
      case FactKind::Constant: return;
      case FactKind::Learnable:
        differentiate_add(g, values_.shapes[neuron], weight_gradient(view.weights[0]));
        return;
      case FactKind::NotAFact: break;
    }
    const Combining combining = combining_of(*view.function, view.element_count());
    if (!reads_elements(combining, view.function->combination)) return;
    const std::span<const Element> elements = elements_.collect(view);
    const Element combined = elements_.combine(view);
    g_combined_.assign(combined.values.size(), 0);
    differentiate(view.function->transformation, view.words, combined.shape, combined.values,
                  values_.value(neuron), g, g_combined_);
    collect_gradients(view, elements);
    if (combining == Combining::Element) {
      differentiate_add(g_combined_, combined.shape, gradients_[0]);
    } else {
      differentiate(view.function->combination, view.function->expr.get(), elements,
                    combined.values, g_combined_, gradients_);
    }
    pass_through_weights(view);
  }

  // Where the gradients of the elements go: into those of the offset and of the inputs, and for
  // a product W * x into a place of its own first.
  void collect_gradients(const NeuronView& view, std::span<const Element> elements) {
    gradients_.clear();
    if (view.offset != kNoWeight) gradients_.push_back(weight_gradient(view.offset));
    if (g_products_.size() < view.inputs.size()) g_products_.resize(view.inputs.size());
    for (std::size_t i = 0; i < view.inputs.size(); ++i) {
      if (view.weight(i) == kNoWeight) {
        gradients_.push_back(neuron_gradient(view.inputs[i]));
      } else {
        g_products_[i].assign(elements[gradients_.size()].values.size(), 0);
        gradients_.emplace_back(g_products_[i]);
      }
    }
  }

  void pass_through_weights(const NeuronView& view) {
    for (std::size_t i = 0; i < view.inputs.size(); ++i) {
      const WeightId weight = view.weight(i);
      if (weight == kNoWeight || is_zero(g_products_[i])) continue;
      differentiate_times(elements_.weight(weight), elements_.neuron(view.inputs[i]),
                          g_products_[i], weight_gradient(weight), neuron_gradient(view.inputs[i]));
    }
  }

  std::span<double> neuron_gradient(NeuronId neuron) {
    return std::span(result_.neurons)
        .subspan(result_.begin[neuron],
                 result_.begin[neuron + std::size_t{1}] - result_.begin[neuron]);
  }
  // Empty for a fixed weight.
  std::span<double> weight_gradient(WeightId weight) {
    const std::uint64_t begin = result_.weight_begin[weight];
    return std::span(result_.weights)
        .subspan(begin, result_.weight_begin[weight + std::size_t{1}] - begin);
  }

  const NeuronGraph& graph_;
  const ReferenceValues& values_;
  ReferenceGradients result_;
  NeuronElements elements_;
  // Of the neuron at hand; kept to save allocations.
  std::vector<double> g_combined_;
  std::vector<std::vector<double>> g_products_;
  std::vector<std::span<double>> gradients_;
};

Result<void> check_sizes(const NeuronGraph& graph, const ReferenceValues& values,
                         std::span<const double> output_gradients) {
  VECC_CHECK(values.shapes.size() == graph.neuron_count(), "values of another graph");
  std::uint64_t expected = 0;
  for (const Sample& sample : graph.samples) expected += values.shapes[sample.output].size();
  if (output_gradients.size() == expected) return {};
  return Errors(ErrorCode::Usage, "output gradients",
                std::to_string(output_gradients.size()) + " numbers, expected " +
                    std::to_string(expected) + ": one an element of every sample's output");
}

}  // namespace

}  // namespace vecc::reference

namespace vecc {

Result<ReferenceGradients> differentiate_reference(const NeuronGraph& graph,
                                                   const ReferenceValues& values,
                                                   std::span<const double> output_gradients) {
  VECC_TRY_VOID(reference::check_sizes(graph, values, output_gradients));
  try {
    VECC_TRY(const std::vector<NeuronId> order, reference::evaluation_order(graph));
    return reference::NeuronDifferentiator(graph, values)
        .differentiate_all(order, output_gradients);
  } catch (const std::bad_alloc&) {
    return Errors(
        ErrorCode::OutOfMemory, "reference",
        "no memory for the gradients of " + std::to_string(graph.neuron_count()) + " neurons");
  } catch (const std::length_error&) {
    return Errors(ErrorCode::OutOfMemory, "reference", "more gradients than memory can hold");
  }
}

}  // namespace vecc
