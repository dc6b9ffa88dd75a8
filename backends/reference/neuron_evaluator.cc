// The oracle: every neuron for itself, in double.
#include <algorithm>
#include <new>
#include <stdexcept>

#include "backends/reference/evaluation_order.h"
#include "backends/reference/neuron_elements.h"
#include "backends/reference/neuron_shapes.h"

namespace vecc {
namespace {

class NeuronEvaluator {
 public:
  NeuronEvaluator(const NeuronGraph& graph, std::vector<Shape> shapes) : graph_(graph) {
    result_.begin.reserve(shapes.size() + 1);
    result_.begin.push_back(0);
    for (const Shape& shape : shapes) result_.begin.push_back(result_.begin.back() + shape.size());
    result_.values.resize(result_.begin.back());
    result_.shapes = std::move(shapes);
  }

  ReferenceValues evaluate_all(std::span<const NeuronId> order) {
    for (const NeuronId neuron : order) evaluate_neuron(neuron);
    return std::move(result_);
  }

 private:
  void evaluate_neuron(NeuronId neuron) {
    const reference::NeuronView view = reference::view_neuron(graph_, neuron);
    const std::uint64_t begin = result_.begin[neuron];
    const std::span<double> y =
        std::span(result_.values).subspan(begin, result_.begin[neuron + std::size_t{1}] - begin);
    switch (view.range->fact) {
      case FactKind::Unit: y[0] = 1; return;
      case FactKind::Constant:
        view.constant.visit(y.size(), [&](auto value) { std::ranges::copy(value, y.begin()); });
        return;
      case FactKind::Learnable:
        std::ranges::copy(elements_.weight(view.weights[0]).values, y.begin());
        return;
      case FactKind::NotAFact: break;
    }
    elements_.collect(view);
    const Element combined = elements_.combine(view);
    evaluate(view.function->transformation, view.words, combined.shape, combined.values, y);
  }

  const NeuronGraph& graph_;
  ReferenceValues result_;
  reference::NeuronElements elements_{graph_, result_};
};

}  // namespace

Result<ReferenceValues> evaluate_reference(const NeuronGraph& graph) {
  try {
    VECC_TRY(const std::vector<NeuronId> order, reference::evaluation_order(graph));
    VECC_TRY(std::vector<Shape> shapes, reference::infer_shapes(graph, order));
    return NeuronEvaluator(graph, std::move(shapes)).evaluate_all(order);
  } catch (const std::bad_alloc&) {
    return Errors(
        ErrorCode::OutOfMemory, "reference",
        "no memory for the values of " + std::to_string(graph.neuron_count()) + " neurons");
  } catch (const std::length_error&) {
    return Errors(ErrorCode::OutOfMemory, "reference", "more values than memory can hold");
  }
}

}  // namespace vecc
