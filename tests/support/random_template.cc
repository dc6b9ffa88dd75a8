// draw_template: combinations with literals whose shapes fit them.
#include <algorithm>
#include <array>

#include "tests/support/random_neuron.h"

namespace vecc::test {
namespace {

using Literal = NeuronTemplate::Literal;

constexpr std::uint64_t kMaxWeight = 16;

// Weight shapes W with times_shape(W, input) = target.
std::vector<Shape> fitting_weights(Shape input, Shape target) {
  const std::array candidates = {Shape(), target, Shape(target.rows(), input.rows()),
                                 Shape(target.rows(), 1), Shape(1, input.rows())};
  std::vector<Shape> fitting;
  for (const Shape candidate : candidates) {
    const bool known = std::find(fitting.begin(), fitting.end(), candidate) != fitting.end();
    if (!known && candidate.size() <= kMaxWeight && times_shape(candidate, input) == target) {
      fitting.push_back(candidate);
    }
  }
  return fitting;
}

void share_weight(Literal& literal, WeightPool& weights, RandomSource& random) {
  if (literal.weight && random.chance(0.7)) literal.shared = weights.draw(*literal.weight, random);
}

// A literal whose element W * x has the target's shape; none if no neuron drawn can give one.
std::optional<Literal> draw_literal(Shape target, const NeuronPool& pool, WeightPool& weights,
                                    RandomSource& random) {
  for (int attempt = 0; attempt < 12; ++attempt) {
    const Shape input = pool.neurons()[pool.draw(random)].value.shape;
    const std::vector<Shape> fitting = fitting_weights(input, target);
    Literal literal{.input = input, .weight = std::nullopt, .shared = kNoWeight};
    if (input != target || random.chance(0.5)) {
      if (fitting.empty()) continue;
      literal.weight = random.pick(fitting);
    }
    share_weight(literal, weights, random);
    return literal;
  }
  return std::nullopt;
}

Shape element_shape(const Literal& literal) {
  return literal.weight ? times_shape(*literal.weight, literal.input).value_or(literal.input)
                        : literal.input;
}

// A target for `plus`: the same shape, sometimes a scalar that broadcasts or the other orientation.
Shape vary_for_plus(Shape target, RandomSource& random) {
  if (random.chance(0.1)) return Shape();
  if (target.is_vector() && random.chance(0.1)) return target.transposed();
  return target;
}

// Element shapes for a combination, one a literal.
std::vector<Shape> draw_targets(Combination combination, const NeuronPool& pool,
                                RandomSource& random) {
  const auto any_shape = [&] { return pool.neurons()[pool.draw(random)].value.shape; };
  const Shape first = any_shape();
  const std::uint32_t count = random.between(1, 4);
  std::vector<Shape> targets;
  switch (info(combination).shapes) {
    case CombinationShapes::Plus:
      for (std::uint32_t i = 0; i < count; ++i) targets.push_back(vary_for_plus(first, random));
      break;
    case CombinationShapes::Same: targets.assign(count, first); break;
    case CombinationShapes::Scalars: targets.assign(count, Shape()); break;
    case CombinationShapes::Ignored:
    case CombinationShapes::List:
      for (std::uint32_t i = 0; i < std::min(count, 3u); ++i) {
        targets.push_back(random.chance(0.5) ? first : any_shape());
      }
      break;
  }
  if (combination == Combination::CosSim) targets.assign(2, first);
  return targets;
}

constexpr std::array kTreeCombinations = {
    Combination::Sum,     Combination::Avg,    Combination::ElProduct, Combination::Product,
    Combination::Concat,  Combination::Max,    Combination::Min,       Combination::CrossSum,
    Combination::Softmax, Combination::CosSim, Combination::Count,     Combination::Sparsemax};

// Draws a tree over the leaves first .. last-1 in postfix order; its shape, or none if it does not
// fit.
std::optional<Shape> draw_tree(const std::vector<Shape>& leaves, std::uint32_t first,
                               std::uint32_t last, RandomSource& random, Expr& expr) {
  std::optional<Shape> shape;
  ExprNode node;
  if (last - first == 1) {
    node.kind = ExprNode::Kind::Input;
    node.input = first;
    shape = leaves[first];
  } else {
    const std::uint32_t middle = random.between(first + 1, last - 1);
    const auto left = draw_tree(leaves, first, middle, random, expr);
    const auto right = draw_tree(leaves, middle, last, random, expr);
    if (!left || !right) return std::nullopt;
    std::vector<Shape> shapes = {*left, *right};
    if (random.chance(0.2)) {
      expr.nodes.push_back({.kind = ExprNode::Kind::Constant,
                            .constant = random.between(1, 8) / 4.0,
                            .transformation = {}});
      shapes.push_back(Shape());
    }
    node.kind = ExprNode::Kind::Combine;
    node.arity = static_cast<std::uint32_t>(shapes.size());
    node.combination = kTreeCombinations[random.below(kTreeCombinations.size())];
    const auto combined = combined_shape(node.combination, node.axis, nullptr, shapes, "tree");
    if (!combined) return std::nullopt;
    shape = *combined;
  }
  expr.nodes.push_back(node);
  if (random.chance(0.3)) {
    ExprNode transform;
    transform.kind = ExprNode::Kind::Transform;
    transform.transformation.id =
        random.chance(0.5) ? Transformation::Tanh : Transformation::Sigmoid;
    expr.nodes.push_back(transform);
  }
  return shape;
}

std::shared_ptr<const Expr> draw_expr(const std::vector<Shape>& leaves, RandomSource& random) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    Expr expr;
    if (draw_tree(leaves, 0, static_cast<std::uint32_t>(leaves.size()), random, expr)) {
      return std::make_shared<const Expr>(std::move(expr));
    }
  }
  return nullptr;
}

Shape draw_reshape(Shape input, RandomSource& random) {
  const auto size = static_cast<std::uint32_t>(input.size());
  std::uint32_t rows = random.between(1, size);
  while (size % rows != 0) --rows;
  return size == 1 && random.chance(0.5) ? Shape() : Shape(rows, size / rows);
}

void draw_transformation(Shape combined, RandomSource& random, TransformationSpec& spec) {
  if (random.chance(0.3)) return;  // identity
  if (random.chance(0.2)) {
    spec.id = random.chance(0.5) ? Transformation::Tanh : Transformation::Sigmoid;
    return;
  }
  do {
    spec.id = random.pick(std::vector(transformations().begin(), transformations().end())).id;
  } while (info(spec.id).origin == FunctionOrigin::Program);
  if (spec.id == Transformation::LeakyRelu && random.chance(0.5)) spec.slope = 0.2;
  if (spec.id == Transformation::Reshape) spec.target = draw_reshape(combined, random);
}

}  // namespace

NeuronTemplate draw_template(const NeuronPool& pool, WeightPool& weights, RandomSource& random) {
  for (;;) {
    NeuronTemplate pattern;
    NeuronFunction& function = pattern.function;
    function.combination =
        random.chance(0.25)
            ? Combination::Sum
            : random.pick(std::vector(combinations().begin(), combinations().end())).id;
    if (function.combination == Combination::Concat && random.chance(0.4)) function.axis = 0;
    std::vector<Shape> elements;
    const std::vector<Shape> targets = draw_targets(function.combination, pool, random);
    if (random.chance(0.2)) pattern.offset = random.pick(targets);
    if (pattern.offset) elements.push_back(*pattern.offset);
    for (const Shape target : targets) {
      const auto literal = draw_literal(target, pool, weights, random);
      if (!literal) break;
      pattern.literals.push_back(*literal);
      elements.push_back(element_shape(*literal));
    }
    if (pattern.literals.size() != targets.size()) continue;
    const bool reduces = info(function.combination).shapes != CombinationShapes::List;
    pattern.variable_fan_in = reduces && random.chance(0.5);
    pattern.declares_shape = random.chance(0.1);
    if (function.combination == Combination::FunctionGraph) {
      function.expr = draw_expr(elements, random);
      if (!function.expr) continue;
    }
    Shape combined = elements[0];
    if (elements.size() > 1 || function.expr) {
      const auto shape = combined_shape(function.combination, function.axis, function.expr.get(),
                                        elements, "template");
      if (!shape) continue;
      combined = *shape;
    }
    draw_transformation(combined, random, function.transformation);
    return pattern;
  }
}

}  // namespace vecc::test
