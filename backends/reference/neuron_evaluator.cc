// The oracle: every neuron for itself, in double.
#include <algorithm>
#include <new>
#include <stdexcept>

#include "backends/reference/evaluation_order.h"
#include "backends/reference/neuron_shapes.h"
#include "backends/reference/neuron_view.h"
#include "src/function/evaluate.h"
#include "vecc/backend.h"

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
    const NeuronView view = view_neuron(graph_, neuron);
    const std::uint64_t begin = result_.begin[neuron];
    const std::span<double> y =
        std::span(result_.values).subspan(begin, result_.begin[neuron + std::size_t{1}] - begin);
    switch (view.range->fact) {
      case FactKind::Unit: y[0] = 1; return;
      case FactKind::Constant: std::ranges::copy(view.constant, y.begin()); return;
      case FactKind::Learnable:
        std::ranges::copy(values_of(graph_, view.weights[0]), y.begin());
        return;
      case FactKind::NotAFact: break;
    }
    collect_elements(view);
    const Element combined = combine(view);
    evaluate(view.function->transformation, view.words, combined.shape, combined.values, y);
  }

  Element combine(const NeuronView& view) {
    const NeuronFunction& function = *view.function;
    switch (combining_of(function, elements_.size())) {
      case Combining::Zero: {
        const bool is_count = function.combination == Combination::Count;
        return filled(is_count ? Shape::scalar() : view.range->shape, 0);
      }
      case Combining::One: return filled(Shape::scalar(), 1);
      case Combining::Element: return elements_[0];
      case Combining::Apply: {
        shapes_.clear();
        for (const Element& element : elements_) shapes_.push_back(element.shape);
        const auto shape = combined_shape(function.combination, function.axis, function.expr.get(),
                                          shapes_, "reference");
        VECC_CHECK(shape.has_value(), function.text());
        const Element result = filled(*shape, 0);
        evaluate(function.combination, function.expr.get(), elements_, combined_);
        return result;
      }
      case Combining::Invalid: break;
    }
    fail_check("a combination with inputs", __FILE__, __LINE__, function.text());
  }

  Element filled(Shape shape, double value) {
    combined_.assign(shape.size(), value);
    return {shape, combined_};
  }

  // [offset] ++ [W_i * x_i]
  void collect_elements(const NeuronView& view) {
    elements_.clear();
    if (view.offset != kNoWeight) elements_.push_back(weight_element(view.offset));
    if (products_.size() < view.inputs.size()) products_.resize(view.inputs.size());
    for (std::size_t i = 0; i < view.inputs.size(); ++i) {
      const NeuronId input = view.inputs[i];
      const Element x{result_.shapes[input], result_.value(input)};
      if (view.weight(i) == kNoWeight) {
        elements_.push_back(x);
        continue;
      }
      const Element w = weight_element(view.weight(i));
      const auto shape = times_shape(w.shape, x.shape);
      VECC_CHECK(shape.has_value(), graph_.describe(input));
      products_[i].resize(shape->size());
      times(w, x, products_[i]);
      elements_.push_back({*shape, products_[i]});
    }
  }

  [[nodiscard]] Element weight_element(WeightId weight) const {
    return {table_of(graph_, weight).shape, values_of(graph_, weight)};
  }

  const NeuronGraph& graph_;
  ReferenceValues result_;
  // Of the neuron at hand; kept to save allocations.
  std::vector<Element> elements_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<double>> products_;
  std::vector<double> combined_;
};

}  // namespace

Result<ReferenceValues> evaluate_reference(const NeuronGraph& graph) {
  try {
    VECC_TRY(const std::vector<NeuronId> order, evaluation_order(graph));
    VECC_TRY(std::vector<Shape> shapes, infer_shapes(graph, order));
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
