#include "tests/support/random_neuron.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vecc::test {
namespace {

constexpr std::uint64_t kMaxSize = 16;  // elements of a value or a weight
constexpr double kMaxCombined = 30;
constexpr double kMaxValue = 8;

bool may_have_no_inputs(Combination c) {
  return c == Combination::Sum || c == Combination::Avg || c == Combination::Count;
}

// C of no element: zero, of the declared shape.
TrackedValue empty_value(Combination combination, Shape declared) {
  if (combination == Combination::Count) declared = Shape();
  return track_exact(declared, std::vector<double>(declared.size(), 0.0));
}

TrackedValue one() {
  return track_exact(Shape(), {1.0});
}

std::optional<TrackedValue> evaluate_expr(const Expr& expr, std::span<const TrackedValue> inputs,
                                          RandomSource& random) {
  std::vector<TrackedValue> stack;
  for (const ExprNode& node : expr.nodes) {
    std::optional<TrackedValue> result;
    switch (node.kind) {
      case ExprNode::Kind::Input: result = inputs[node.input]; break;
      case ExprNode::Kind::Constant:
        result = track_exact(Shape(), {node.constant});
        result->exact = node.constant == std::floor(node.constant);
        break;
      case ExprNode::Kind::Transform:
        result = tracked_transform(node.transformation,
                                   std::span(node.words).first(word_count(node.transformation.id)),
                                   stack.back());
        stack.pop_back();
        break;
      case ExprNode::Kind::Draw: break;  // random graphs have none
      case ExprNode::Kind::Combine:
        result = tracked_combine(node.combination, node.axis, std::span(stack).last(node.arity));
        stack.resize(stack.size() - node.arity);
        break;
    }
    if (!result) return std::nullopt;
    perturb(*result, random);
    if (!is_well_conditioned(*result, kMaxCombined)) return std::nullopt;
    stack.push_back(std::move(*result));
  }
  return std::move(stack.back());
}

std::optional<TrackedValue> combine(const NeuronFunction& function,
                                    std::span<const TrackedValue> elements, Shape declared,
                                    RandomSource& random) {
  if (elements.empty()) return empty_value(function.combination, declared);
  if (function.combination == Combination::FunctionGraph) {
    if (function.expr->input_count() != elements.size()) return std::nullopt;
    return evaluate_expr(*function.expr, elements, random);
  }
  if (elements.size() > 1) return tracked_combine(function.combination, function.axis, elements);
  const bool gives_one = info(function.combination).single == CombinationSingle::One &&
                         function.transformation.id == Transformation::Identity;
  return gives_one ? one() : elements[0];
}

// Bounds within a side; the end now and then as kToEnd.
void draw_bounds(std::uint32_t side, RandomSource& random, std::vector<std::uint32_t>& words) {
  const std::uint32_t begin = random.below(side);
  const std::uint32_t end = random.between(begin + 1, side);
  words.push_back(begin);
  words.push_back(end == side && random.chance(0.5) ? kToEnd : end);
}

std::vector<std::uint32_t> draw_words(Transformation t, Shape input, RandomSource& random) {
  std::vector<std::uint32_t> words;
  if (t == Transformation::AtIndex) words.push_back(random.below(input.size()));
  if (t == Transformation::Slice) {
    draw_bounds(input.rows(), random, words);
    draw_bounds(input.cols(), random, words);
  }
  return words;
}

std::optional<TrackedValue> draw_element(const NeuronTemplate::Literal& literal,
                                         const TrackedValue& input, WeightPool& weights,
                                         RandomSource& random, WeightId& weight) {
  weight = kNoWeight;
  if (!literal.weight) return input;
  weight = literal.shared != kNoWeight ? literal.shared : weights.draw(*literal.weight, random);
  auto element = tracked_times(weights.value(weight), input);
  if (element) perturb(*element, random);
  return element;
}

// The list [offset] ++ [W_i * x_i] of a neuron; fills in its inputs, weights and offset.
bool draw_elements(const NeuronTemplate& pattern, const NeuronPool& pool, WeightPool& weights,
                   RandomSource& random, const std::vector<std::uint32_t>& inputs,
                   DrawnNeuron& neuron, std::vector<TrackedValue>& elements) {
  if (pattern.offset) {
    neuron.offset = weights.draw(*pattern.offset, random);
    elements.push_back(weights.value(neuron.offset));
  }
  std::size_t fan_in = pattern.literals.size();
  if (!inputs.empty()) {
    fan_in = inputs.size();
  } else if (pattern.variable_fan_in) {
    fan_in = random.between(may_have_no_inputs(pattern.function.combination) ? 0 : 1, 5);
  }
  bool weighted = false;
  for (std::size_t i = 0; i < fan_in; ++i) {
    const NeuronTemplate::Literal& literal = pattern.literals[pattern.variable_fan_in ? 0 : i];
    const auto input = inputs.empty() ? pool.draw(literal.input, random) : inputs[i];
    if (!input) return false;
    WeightId weight = kNoWeight;
    auto element = draw_element(literal, pool.neurons()[*input].value, weights, random, weight);
    if (!element) return false;
    neuron.inputs.push_back(*input);
    neuron.weights.push_back(weight);
    weighted = weighted || weight != kNoWeight;
    elements.push_back(std::move(*element));
  }
  // A neuron without any weight may spell that out or leave the column away.
  if (!weighted && random.chance(0.8)) neuron.weights.clear();
  return true;
}

}  // namespace

TrackedValue draw_value(Shape shape, bool exact, RandomSource& random) {
  std::vector<double> values(shape.size());
  for (double& v : values) v = exact ? random.between(0, 4) - 2.0 : random.real(-1, 1);
  return exact ? track_exact(shape, std::move(values)) : track(shape, std::move(values), random);
}

WeightId WeightPool::draw(Shape shape, RandomSource& random) {
  std::vector<WeightId>& known = by_shape_[shape];
  if (known.empty() || random.chance(0.15)) {
    Table table;
    table.shape = shape;
    table.count = random.chance(0.6) ? 1 : random.between(2, 4);
    table.learnable = random.chance(0.75);
    for (std::uint32_t w = 0; w < table.count; ++w) {
      values_.push_back(draw_value(shape, exact_, random));
      const std::vector<double>& values = values_.back().value();
      table.values.insert(table.values.end(), values.begin(), values.end());
      known.push_back(static_cast<WeightId>(values_.size() - 1));
    }
    tables_.push_back(std::move(table));
  }
  return random.pick(known);
}

void NeuronPool::add(DrawnNeuron neuron) {
  by_shape_[neuron.value.shape].push_back(static_cast<std::uint32_t>(neurons_.size()));
  neurons_.push_back(std::move(neuron));
}

std::uint32_t NeuronPool::draw(RandomSource& random) const {
  const auto size = static_cast<std::uint32_t>(neurons_.size());
  const std::uint32_t latest = random.chance(0.5) ? std::min(size, 8u) : size;
  return size - 1 - random.below(latest);
}

std::optional<std::uint32_t> NeuronPool::draw(Shape shape, RandomSource& random) const {
  const auto found = by_shape_.find(shape);
  if (found == by_shape_.end()) return std::nullopt;
  const std::vector<std::uint32_t>& list = found->second;
  const auto latest = random.chance(0.5) ? std::min<std::size_t>(list.size(), 4) : list.size();
  return list[list.size() - 1 - random.below(latest)];
}

std::optional<DrawnNeuron> draw_neuron(const NeuronTemplate& pattern, const NeuronPool& pool,
                                       WeightPool& weights, RandomSource& random,
                                       const std::vector<std::uint32_t>& inputs) {
  DrawnNeuron neuron;
  neuron.function = pattern.function;
  std::vector<TrackedValue> elements;
  if (!draw_elements(pattern, pool, weights, random, inputs, neuron, elements)) {
    return std::nullopt;
  }
  const Shape declared = pattern.literals.empty() ? Shape() : pattern.literals[0].input;
  auto combined = combine(pattern.function, elements, declared, random);
  if (!combined) return std::nullopt;
  perturb(*combined, random);
  if (!is_well_conditioned(*combined, kMaxCombined)) return std::nullopt;
  neuron.words = draw_words(pattern.function.transformation.id, combined->shape, random);
  auto value = tracked_transform(pattern.function.transformation, neuron.words, *combined);
  if (!value) return std::nullopt;
  perturb(*value, random);
  if (weights.is_exact() && !value->exact) return std::nullopt;
  if (!is_well_conditioned(*value, kMaxValue) || value->shape.size() > kMaxSize) {
    return std::nullopt;
  }
  // Without elements the declared shape, which is the value's, is the combination's too.
  if (elements.empty() && value->shape != combined->shape) return std::nullopt;
  if (elements.empty() || pattern.declares_shape) neuron.declared = value->shape;
  neuron.value = std::move(*value);
  return neuron;
}

}  // namespace vecc::test
