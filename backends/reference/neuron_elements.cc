#include "backends/reference/neuron_elements.h"

#include <cmath>
#include <limits>

namespace vecc::reference {
namespace {

// COUNT, SOFTMAX or SPARSEMAX of one element. A share of what is no finite number is NaN, as among
// several elements.
double one_of(Combination combination, const Element& element) {
  const bool is_share = combination != Combination::Count;
  return is_share && !std::isfinite(element.values[0]) ? std::numeric_limits<double>::quiet_NaN()
                                                       : 1;
}

}  // namespace

NeuronElements::NeuronElements(const NeuronGraph& graph, const ReferenceValues& values)
    : graph_(graph), values_(values) {
  for (const WeightTable& table : graph.weight_tables) weights_.push_back(table.values.doubles());
}

Element NeuronElements::weight(WeightId weight) const {
  const std::uint32_t number = graph_.table_of_weight[weight];
  const WeightTable& table = graph_.weight_tables[number];
  const std::uint64_t size = table.shape.size();
  return {table.shape, std::span(weights_[number]).subspan((weight - table.first) * size, size)};
}

std::span<const Element> NeuronElements::collect(const NeuronView& view) {
  elements_.clear();
  if (view.offset != kNoWeight) elements_.push_back(weight(view.offset));
  if (products_.size() < view.inputs.size()) products_.resize(view.inputs.size());
  for (std::size_t i = 0; i < view.inputs.size(); ++i) {
    const Element x = neuron(view.inputs[i]);
    if (view.weight(i) == kNoWeight) {
      elements_.push_back(x);
      continue;
    }
    const Element w = weight(view.weight(i));
    const auto shape = times_shape(w.shape, x.shape);
    VECC_CHECK(shape.has_value(), graph_.describe(view.inputs[i]));
    products_[i].resize(shape->size());
    times(w, x, products_[i]);
    elements_.push_back({*shape, products_[i]});
  }
  return elements_;
}

Element NeuronElements::combine(const NeuronView& view) {
  const NeuronFunction& function = *view.function;
  switch (combining_of(function, elements_.size())) {
    case Combining::Zero: {
      const bool is_count = function.combination == Combination::Count;
      return fill(is_count ? Shape::scalar() : view.range->shape, 0);
    }
    case Combining::One: return fill(Shape::scalar(), one_of(function.combination, elements_[0]));
    case Combining::Element: return elements_[0];
    case Combining::Apply: {
      shapes_.clear();
      for (const Element& element : elements_) shapes_.push_back(element.shape);
      const auto shape = combined_shape(function.combination, function.axis, function.expr.get(),
                                        shapes_, "reference");
      VECC_CHECK(shape.has_value(), function.text());
      const Element result = fill(*shape, 0);
      evaluate(function.combination, function.expr.get(), elements_, combined_);
      return result;
    }
    case Combining::Invalid: break;
  }
  fail_check("a combination with inputs", __FILE__, __LINE__, function.text());
}

Element NeuronElements::fill(Shape shape, double value) {
  combined_.assign(shape.size(), value);
  return {shape, combined_};
}

}  // namespace vecc::reference
