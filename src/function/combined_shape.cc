// Shape rules of combinations.
#include <algorithm>

#include "vecc/function.h"

namespace vecc {
namespace {

using Shapes = std::span<const Shape>;

struct Context {
  std::string name;  // the combination's
  std::string_view place;

  [[nodiscard]] Errors error(ErrorCode code, const std::string& message) const {
    return Errors(code, std::string(place), name + message);
  }
  // Of one element that does not fit what those before it made.
  [[nodiscard]] Errors mismatch(Shape before, Shapes elements, std::size_t i,
                                const std::string& expected) const {
    return error(ErrorCode::ShapeMismatch, " of " + before.text() + " and " + elements[i].text() +
                                               " (element " + std::to_string(i) + "): " + expected);
  }
};

Result<Shape> plus_all(const Context& context, Shapes elements) {
  Shape shape = elements[0];
  for (std::size_t i = 1; i < elements.size(); ++i) {
    const auto next = plus_shape(shape, elements[i]);
    if (!next) {
      return context.mismatch(shape, elements, i,
                              "expected equal shapes, vectors of equal length or scalars");
    }
    shape = *next;
  }
  return shape;
}

Result<Shape> times_all(const Context& context, Shapes elements) {
  Shape shape = elements[0];
  for (std::size_t i = 1; i < elements.size(); ++i) {
    const auto next = times_shape(shape, elements[i]);
    if (!next) {
      return context.mismatch(shape, elements, i,
                              "the left one's columns must equal the right one's rows");
    }
    if (next->size() > kMaxFunctionSize) {
      return context.error(ErrorCode::LimitShape, " makes " + next->text() + ", more than " +
                                                      std::to_string(kMaxFunctionSize) +
                                                      " elements");
    }
    shape = *next;
  }
  return shape;
}

Result<Shape> same_all(const Context& context, Shapes elements) {
  for (std::size_t i = 1; i < elements.size(); ++i) {
    if (elements[i] != elements[0]) {
      return context.mismatch(elements[0], elements, i, "expected equal shapes");
    }
  }
  return elements[0];
}

Result<Shape> column_of(const Context& context, std::uint64_t size) {
  if (size > kMaxFunctionSize) {
    return context.error(ErrorCode::LimitShape,
                         " makes more than " + std::to_string(kMaxFunctionSize) + " elements");
  }
  return Shape::column(static_cast<std::uint32_t>(size));
}

Result<Shape> concat_all(const Context& context, int axis, Shapes elements) {
  if (axis != -1 && axis != 0) {
    return context.error(ErrorCode::ParameterRange,
                         " has axis " + std::to_string(axis) + ", expected -1 or 0");
  }
  std::uint64_t size = 0;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    // Along axis 0 a scalar stands for 1x1.
    if (axis == 0 && elements[i].cols() != elements[0].cols()) {
      return context.mismatch(elements[0], elements, i, "expected equal numbers of columns");
    }
    size += elements[i].size();
    rows += elements[i].rows();
    VECC_TRY_VOID(column_of(context, size));
  }
  if (axis == -1) return column_of(context, size);
  return Shape(static_cast<std::uint32_t>(rows), elements[0].cols());
}

Result<Shape> scalars_to_column(const Context& context, Shapes elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].is_scalar()) {
      return context.error(
          ErrorCode::FunctionDomain,
          " of " + elements[i].text() + " (element " + std::to_string(i) + "), expected scalars");
    }
  }
  return column_of(context, elements.size());
}

Result<Shape> cross_all(const Context& context, Shapes elements) {
  std::uint64_t size = 1;
  for (const Shape& element : elements) {
    size *= std::min(element.size(), kMaxFunctionSize + 1);  // both factors below 2^25: no overflow
    VECC_TRY_VOID(column_of(context, size));
  }
  return column_of(context, size);
}

Result<Shape> similarity(const Context& context, Shapes elements) {
  if (elements.size() != 2) {
    return context.error(ErrorCode::FanIn,
                         " of " + std::to_string(elements.size()) + " elements, expected 2");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (elements[i].is_scalar() || !elements[i].is_vector()) {
      return context.error(
          ErrorCode::FunctionDomain,
          " of " + elements[i].text() + " (element " + std::to_string(i) + "), expected a vector");
    }
  }
  if (elements[0].size() != elements[1].size()) {
    return context.mismatch(elements[0], elements, 1, "expected vectors of equal length");
  }
  return Shape::scalar();
}

Result<Shape> expr_shape(const Context& context, const Expr& expr, Shapes elements) {
  if (expr.input_count() > elements.size()) {
    return context.error(ErrorCode::FanIn, " of " + std::to_string(elements.size()) +
                                               " elements, expected at least " +
                                               std::to_string(expr.input_count()));
  }
  std::vector<Shape> stack;
  for (const ExprNode& node : expr.nodes) {
    switch (node.kind) {
      case ExprNode::Kind::Input: stack.push_back(elements[node.input]); break;
      case ExprNode::Kind::Constant: stack.push_back(Shape::scalar()); break;
      case ExprNode::Kind::Transform: {
        const auto words = std::span(node.words).first(word_count(node.transformation.id));
        VECC_TRY(stack.back(),
                 transformed_shape(node.transformation, words, stack.back(), context.place));
        break;
      }
      case ExprNode::Kind::Combine: {
        const Shapes last = Shapes(stack).last(node.arity);
        VECC_TRY(const Shape shape,
                 combined_shape(node.combination, node.axis, nullptr, last, context.place));
        stack.resize(stack.size() - node.arity);
        stack.push_back(shape);
        break;
      }
      case ExprNode::Kind::Draw: {
        VECC_TRY(const Shape shape, drawn_shape(Shapes(stack).last(kDrawWords), context.place));
        stack.resize(stack.size() - kDrawWords);
        stack.push_back(shape);
        break;
      }
    }
  }
  return stack.back();
}

}  // namespace

Result<Shape> combined_shape(Combination combination, int axis, const Expr* expr, Shapes elements,
                             std::string_view place) {
  const Context context{std::string(info(combination).text), place};
  if (elements.empty()) {
    return context.error(ErrorCode::FanIn, " of no elements, expected at least 1");
  }
  switch (combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::ElProduct: return plus_all(context, elements);
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin: return same_all(context, elements);
    case Combination::Count: return Shape::scalar();
    case Combination::Concat: return concat_all(context, axis, elements);
    case Combination::Softmax:
    case Combination::Sparsemax: return scalars_to_column(context, elements);
    case Combination::Product: return times_all(context, elements);
    case Combination::CrossSum: return cross_all(context, elements);
    case Combination::CosSim: return similarity(context, elements);
    case Combination::FunctionGraph:
      VECC_CHECK(expr != nullptr, "functiongraph without its tree");
      return expr_shape(context, *expr, elements);
  }
  fail_check("known combination", __FILE__, __LINE__, context.name);
}

Result<Shape> drawn_shape(std::span<const Shape> words, std::string_view place) {
  return plus_all({"draw", place}, words);
}

}  // namespace vecc
