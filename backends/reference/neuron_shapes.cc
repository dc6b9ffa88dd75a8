#include "backends/reference/neuron_shapes.h"

#include <algorithm>

#include "backends/reference/neuron_view.h"
#include "vecc/escape.h"

namespace vecc::reference {
namespace {

constexpr std::size_t kMaxErrors = 20;

class ShapeInference {
 public:
  explicit ShapeInference(const NeuronGraph& graph)
      : graph_(graph),
        shapes_(graph.neuron_count()),
        failed_(graph.neuron_count()),
        table_seen_(graph.weight_tables.size()) {}

  Result<std::vector<Shape>> infer(std::span<const NeuronId> order) {
    for (const NeuronId neuron : order) {
      const NeuronView view = view_neuron(graph_, neuron);
      const auto has_failed = [&](NeuronId input) { return failed_[input]; };
      failed_[neuron] = true;
      if (std::ranges::any_of(view.inputs, has_failed)) continue;
      auto shape = shape_of(view, neuron);
      if (shape && view.range->has_shape && *shape != view.range->shape) {
        shape = error(neuron, ErrorCode::ShapeMismatch,
                      "has shape " + shape->text() + ", but declares " + view.range->shape.text());
      }
      if (shape) {
        shapes_[neuron] = *shape;
        failed_[neuron] = false;
      } else {
        report(shape.error());
      }
    }
    if (!errors_.empty()) return errors_;
    return std::move(shapes_);
  }

 private:
  Result<Shape> shape_of(const NeuronView& view, NeuronId neuron) {
    switch (view.range->fact) {
      case FactKind::Unit: return Shape::scalar();
      case FactKind::Constant: return view.range->shape;
      case FactKind::Learnable: return weight_shape(view.weights[0], neuron);
      case FactKind::NotAFact: break;
    }
    VECC_TRY(const Shape combined, combine(view, neuron));
    return transformed_shape(view.function->transformation, view.words, combined,
                             graph_.describe(neuron));
  }

  Result<Shape> combine(const NeuronView& view, NeuronId neuron) {
    const NeuronFunction& function = *view.function;
    VECC_TRY_VOID(collect_elements(view, neuron));
    switch (combining_of(function, elements_.size())) {
      case Combining::Zero:
        if (function.combination == Combination::Count) return Shape::scalar();
        if (view.range->has_shape) return view.range->shape;
        return error(neuron, ErrorCode::FanIn, "has no inputs and no declared shape");
      case Combining::One: return Shape::scalar();
      case Combining::Element: return elements_[0];
      case Combining::Apply:
        return combined_shape(function.combination, function.axis, function.expr.get(), elements_,
                              graph_.describe(neuron));
      case Combining::Invalid:
        return error(neuron, ErrorCode::FanIn,
                     std::string(info(function.combination).text) + " has no inputs");
    }
    fail_check("known combining", __FILE__, __LINE__, function.text());
  }

  // The shapes of [offset] ++ [W_i * x_i].
  Result<void> collect_elements(const NeuronView& view, NeuronId neuron) {
    elements_.clear();
    if (view.offset != kNoWeight) {
      VECC_TRY(const Shape offset, weight_shape(view.offset, neuron));
      elements_.push_back(offset);
    }
    for (std::size_t i = 0; i < view.inputs.size(); ++i) {
      VECC_TRY(const Shape element, element_shape(view, neuron, i));
      elements_.push_back(element);
    }
    return {};
  }

  Result<Shape> element_shape(const NeuronView& view, NeuronId neuron, std::size_t i) {
    const Shape input = shapes_[view.inputs[i]];
    if (view.weight(i) == kNoWeight) return input;
    VECC_TRY(const Shape weight, weight_shape(view.weight(i), neuron));
    const auto place = [&] { return graph_.describe(neuron) + ", input " + std::to_string(i); };
    const std::string product = "weight " + weight.text() + " times input " + input.text();
    const auto shape = times_shape(weight, input);
    if (!shape) {
      return Errors(ErrorCode::ShapeMismatch, place(),
                    product + ": the weight has " + std::to_string(weight.cols()) +
                        " columns, expected the input's " + std::to_string(input.rows()) + " rows");
    }
    if (shape->size() > kMaxFunctionSize) {
      return Errors(ErrorCode::LimitShape, place(),
                    product + " makes " + shape->text() + ", more than " +
                        std::to_string(kMaxFunctionSize) + " elements");
    }
    return *shape;
  }

  // Also notes, once a table, that it has no values.
  Result<Shape> weight_shape(WeightId weight, NeuronId neuron) {
    const std::uint32_t index = graph_.table_of_weight[weight];
    const WeightTable& table = graph_.weight_tables[index];
    if (!table_seen_[index] && !table.has_values) {
      report(
          error(neuron, ErrorCode::MissingValues,
                "uses weight table \"" + escape_terminal(table.name) + "\", which has no values"));
    }
    table_seen_[index] = true;
    return table.shape;
  }

  [[nodiscard]] Errors error(NeuronId neuron, ErrorCode code, std::string message) const {
    return Errors(code, graph_.describe(neuron), std::move(message));
  }

  void report(const Errors& found) {
    for (const Diagnostic& d : found.list()) {
      if (errors_.list().size() < kMaxErrors) {
        errors_.add(d.code, d.place, d.message);
      } else {
        errors_.omit(1);
      }
    }
  }

  const NeuronGraph& graph_;
  std::vector<Shape> shapes_;
  std::vector<bool> failed_;
  std::vector<bool> table_seen_;
  std::vector<Shape> elements_;
  Errors errors_;
};

}  // namespace

Result<std::vector<Shape>> infer_shapes(const NeuronGraph& graph, std::span<const NeuronId> order) {
  return ShapeInference(graph).infer(order);
}

}  // namespace vecc::reference
