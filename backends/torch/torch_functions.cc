// Expressions over rows, products and weight gradients.
#include "backends/torch/torch_functions.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "src/function/draw.h"

namespace vecc::libtorch {
namespace {

// Rows of operands that have the result's rows, or one.
std::int64_t common_rows(std::span<const Rows> elements) {
  for (const Rows& element : elements) {
    if (element.tensor.size(0) != 1) return element.tensor.size(0);
  }
  return 1;
}

at::Tensor concat_entries(std::span<const Rows> elements) {
  const std::int64_t rows = common_rows(elements);
  std::vector<at::Tensor> parts;
  for (const Rows& element : elements) {
    parts.push_back(element.tensor.expand({rows, element.tensor.size(1)}));
  }
  return at::cat(parts, 1);
}

at::Tensor add_rows(std::span<const Rows> elements) {
  at::Tensor sum = elements[0].tensor;
  for (const Rows& element : elements.subspan(1)) sum = sum + element.tensor;
  return sum;
}

at::Tensor multiply_entries(std::span<const Rows> elements) {
  at::Tensor product = elements[0].tensor;
  for (const Rows& element : elements.subspan(1)) product = product * element.tensor;
  return product;
}

// The first element with the largest (smallest) sum of entries, as a whole.
at::Tensor select_rows(std::span<const Rows> elements, bool largest) {
  at::Tensor best = elements[0].tensor;
  at::Tensor best_sum = sum_entries(best);
  for (const Rows& element : elements.subspan(1)) {
    const at::Tensor sum = sum_entries(element.tensor);
    const at::Tensor better = largest ? sum > best_sum : sum < best_sum;  // no if either is NaN
    best = at::where(better, element.tensor, best);
    best_sum = at::where(better, sum, best_sum);
  }
  return best;
}

at::Tensor multiply_all(std::span<const Rows> elements) {
  Rows product = elements[0];
  for (const Rows& element : elements.subspan(1)) {
    const std::int64_t rows = common_rows(std::vector{product, element});
    const auto operand = [rows](const Rows& r) {
      const bool spread = r.tensor.size(0) == 1 && rows != 1;
      return GridOperand{r.tensor, r.shape, false, spread ? Spread::OverOuter : Spread::None};
    };
    product.tensor = multiply_rows(operand(product), operand(element), rows, 1);
    const auto shape = times_shape(product.shape, element.shape);
    VECC_CHECK(shape.has_value(), "product of shapes that do not fit");
    product.shape = *shape;
  }
  return product.tensor;
}

// One entry of each element, all choices, the last element's entry changing fastest.
at::Tensor cross_all(std::span<const Rows> elements) {
  at::Tensor sums = elements[0].tensor;
  for (const Rows& element : elements.subspan(1)) {
    sums = (sums.unsqueeze(2) + element.tensor.unsqueeze(1)).flatten(1);
  }
  return sums;
}

at::Tensor similarity(const at::Tensor& a, const at::Tensor& b) {
  const auto dot = [](const at::Tensor& x, const at::Tensor& y) {
    return (x * y).sum(1, /*keepdim=*/true);
  };
  return dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt());
}

// As philox() of src/function/draw.h, in whole numbers of 64 bits, whose products wrap.
at::Tensor draw(std::span<const Rows> words) {
  const c10::NoGradGuard unrecorded;
  constexpr std::int64_t kLow = 0xFFFFFFFF;
  std::vector<at::Tensor> w;
  for (const Rows& word : words) {
    const at::Tensor x = word.tensor;
    w.push_back(
        at::where((x >= 0).logical_and(x < 4294967296.0), x, at::zeros_like(x)).to(at::kLong));
  }
  at::Tensor key[] = {w[0], w[1]};
  at::Tensor c[] = {w[2], w[3], w[4], w[5]};
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const at::Tensor a = c[0] * std::int64_t{kPhiloxFactors[0]};
    const at::Tensor b = c[2] * std::int64_t{kPhiloxFactors[1]};
    const auto high = [](const at::Tensor& product) {
      return at::bitwise_and(at::bitwise_right_shift(product, at::Scalar(32)), at::Scalar(kLow));
    };
    c[0] = at::bitwise_xor(at::bitwise_xor(high(b), c[1]), key[0]);
    c[1] = at::bitwise_and(b, at::Scalar(kLow));
    c[2] = at::bitwise_xor(at::bitwise_xor(high(a), c[3]), key[1]);
    c[3] = at::bitwise_and(a, at::Scalar(kLow));
    for (int k = 0; k < 2; ++k) {
      key[k] = at::bitwise_and(key[k] + std::int64_t{kPhiloxSteps[k]}, at::Scalar(kLow));
    }
  }
  const at::Tensor number = at::bitwise_right_shift(c[0], at::Scalar(kDrawShift));
  return (number.to(words[0].tensor.scalar_type()) + 0.5) * kDrawUnit;
}

at::Tensor combine(const ExprNode& node, const at::Tensor& constant,
                   std::span<const Rows> elements) {
  switch (node.combination) {
    case Combination::Sum: return add_rows(elements);
    case Combination::Avg: return add_rows(elements) * (1.0 / static_cast<double>(elements.size()));
    case Combination::Max: return select_rows(elements, true);
    case Combination::Min: return select_rows(elements, false);
    case Combination::Count: return constant;
    // Along either axis, row-major elements stand one after another.
    case Combination::Concat: return concat_entries(elements);
    case Combination::Softmax: return concat_entries(elements).softmax(1);
    case Combination::Sparsemax: return sparsemax_rows(concat_entries(elements));
    case Combination::Product: return multiply_all(elements);
    case Combination::ElProduct: return multiply_entries(elements);
    case Combination::CrossSum: return cross_all(elements);
    case Combination::CosSim: return similarity(elements[0].tensor, elements[1].tensor);
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: break;  // check_expr refuses it inside an expression
  }
  fail_check("a combination of an expression", __FILE__, __LINE__,
             std::string(info(node.combination).text));
}

// A grid operand as [outer, inner, r, c], with 1 where it is spread.
at::Tensor grid_view(const GridOperand& operand, std::int64_t outer, std::int64_t inner) {
  at::Tensor rows = operand.tensor;
  if (inner == 1 && outer > 1 && rows.size(0) == outer && rows.stride(0) == 0) {
    rows = rows.narrow(0, 0, 1);  // one row, expanded: a spread operand in disguise
    outer = 1;
  }
  if (operand.spread == Spread::OverOuter) outer = 1;
  if (operand.spread == Spread::OverInner) inner = 1;
  at::Tensor view = rows.reshape({outer, inner, operand.shape.rows(), operand.shape.cols()});
  return operand.transpose ? view.transpose(2, 3) : view;
}

// A spread matrix meets all the other side's rows in one matrix product (one a row of the grid
// dimension that it is not spread over): rows of the spread side are the batch.
at::Tensor multiply_spread_left(const at::Tensor& left, const at::Tensor& right, bool over_outer) {
  const auto a = left.size(2);
  const auto b = left.size(3);
  const auto c = right.size(3);
  const at::Tensor batches = over_outer ? right.transpose(0, 1) : right;  // [batch, n, b, c]
  const auto batch = batches.size(0);
  const auto n = batches.size(1);
  const at::Tensor weights = left.reshape({batch, a, b});
  at::Tensor result;  // [batch, n, a, c]
  if (c == 1) {
    result = batches.squeeze(3).bmm(weights.transpose(1, 2)).unsqueeze(3);
  } else {
    const at::Tensor columns = batches.permute({0, 2, 1, 3}).reshape({batch, b, n * c});
    result = weights.bmm(columns).reshape({batch, a, n, c}).permute({0, 2, 1, 3});
  }
  return over_outer ? result.transpose(0, 1) : result;
}

at::Tensor multiply_spread_right(const at::Tensor& left, const at::Tensor& right, bool over_outer) {
  const at::Tensor batches = over_outer ? left.transpose(0, 1) : left;  // [batch, n, a, b]
  const auto batch = batches.size(0);
  const auto n = batches.size(1);
  const at::Tensor rows = batches.reshape({batch, n * left.size(2), left.size(3)});
  const at::Tensor weights = right.reshape({batch, right.size(2), right.size(3)});
  const at::Tensor result = rows.bmm(weights).view({batch, n, left.size(2), right.size(3)});
  return over_outer ? result.transpose(0, 1) : result;
}

at::Tensor multiply_matrices(const at::Tensor& left, const at::Tensor& right) {
  const bool left_spread = left.size(0) != right.size(0) && left.size(0) == 1;
  const bool left_inner = left.size(1) != right.size(1) && left.size(1) == 1;
  const bool right_spread = right.size(0) != left.size(0) && right.size(0) == 1;
  const bool right_inner = right.size(1) != left.size(1) && right.size(1) == 1;
  if ((left_spread || left_inner) && (right_spread || right_inner)) {
    // Every left row meets every right row: one product [left rows * a, b] [b, right rows * c].
    const auto left_rows = left.size(0) * left.size(1);
    const auto right_rows = right.size(0) * right.size(1);
    const at::Tensor rows = left.reshape({left_rows * left.size(2), left.size(3)});
    const at::Tensor columns =
        right.flatten(0, 1).transpose(0, 1).reshape({right.size(2), right_rows * right.size(3)});
    const at::Tensor all =
        rows.mm(columns).view({left_rows, left.size(2), right_rows, right.size(3)});
    return all.permute(left_spread ? at::IntArrayRef{2, 0, 1, 3} : at::IntArrayRef{0, 2, 1, 3});
  }
  if (left_spread || left_inner) return multiply_spread_left(left, right, left_spread);
  if (right_spread || right_inner) {
    return multiply_spread_right(left, right, right_spread);
  }
  return left.flatten(0, 1)
      .bmm(right.flatten(0, 1))
      .view({left.size(0), left.size(1), left.size(2), right.size(3)});
}

}  // namespace

RowExpression::RowExpression(const Expr& expr, std::span<const Shape> operands,
                             DeviceArrays& arrays) {
  std::vector<Shape> stack;
  for (const ExprNode& node : expr.nodes) {
    Node& prepared = nodes_.emplace_back();
    prepared.node = node;
    switch (node.kind) {
      case ExprNode::Kind::Input:
        prepared.operand = operands[node.input];
        stack.push_back(prepared.operand);
        break;
      case ExprNode::Kind::Constant:
        prepared.constant = arrays.values(std::span(&node.constant, 1), 1, 1);
        stack.push_back(Shape::scalar());
        break;
      case ExprNode::Kind::Transform: {
        const auto words = std::span(node.words).first(word_count(node.transformation.id));
        prepared.transformation =
            RowTransformation(node.transformation, words, stack.back(), arrays);
        stack.back() = prepared.transformation.result_shape();
        break;
      }
      case ExprNode::Kind::Combine: {
        const auto elements = std::span<const Shape>(stack).last(node.arity);
        const auto shape =
            combined_shape(node.combination, node.axis, nullptr, elements, "expression");
        VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
        if (node.combination == Combination::Count) {
          const double count = node.arity;
          prepared.constant = arrays.values(std::span(&count, 1), 1, 1);
        }
        prepared.operand = *shape;
        stack.resize(stack.size() - node.arity);
        stack.push_back(*shape);
        break;
      }
      case ExprNode::Kind::Draw: {
        const auto shape =
            drawn_shape(std::span<const Shape>(stack).last(node.arity), "expression");
        VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
        prepared.operand = *shape;
        stack.resize(stack.size() - node.arity);
        stack.push_back(*shape);
        break;
      }
    }
  }
}

at::Tensor RowExpression::operator()(std::span<const at::Tensor> operands) const {
  std::vector<Rows> stack;
  for (const Node& node : nodes_) {
    switch (node.node.kind) {
      case ExprNode::Kind::Input: stack.push_back({operands[node.node.input], node.operand}); break;
      case ExprNode::Kind::Constant: stack.push_back({node.constant, Shape::scalar()}); break;
      case ExprNode::Kind::Transform:
        stack.back() = {node.transformation(stack.back().tensor),
                        node.transformation.result_shape()};
        break;
      case ExprNode::Kind::Combine:
      case ExprNode::Kind::Draw: {
        const auto elements = std::span<const Rows>(stack).last(node.node.arity);
        const bool draws = node.node.kind == ExprNode::Kind::Draw;
        Rows result{draws ? draw(elements) : combine(node.node, node.constant, elements),
                    node.operand};
        stack.resize(stack.size() - node.node.arity);
        stack.push_back(std::move(result));
        break;
      }
    }
  }
  return stack.back().tensor;
}

at::Tensor multiply_rows(const GridOperand& left, const GridOperand& right, std::int64_t outer,
                         std::int64_t inner) {
  const at::Tensor l = grid_view(left, outer, inner);
  const at::Tensor r = grid_view(right, outer, inner);
  const bool scales = left.shape.is_scalar() || right.shape.is_scalar();
  // Scaling and outer products need no sum.
  const at::Tensor product = scales || l.size(3) == 1 ? l * r : multiply_matrices(l, r);
  const std::int64_t size = product.size(2) * product.size(3);
  return product.expand({outer, inner, product.size(2), product.size(3)})
      .reshape({outer * inner, size});
}

at::Tensor weight_gradients(const at::Tensor& g, const at::Tensor& x,
                            const GradientShapes& shapes) {
  if (shapes.weight.is_scalar()) return (g * x).sum(1, /*keepdim=*/true);
  if (shapes.x.is_scalar()) return g * x;
  // g x^T, where a dot product's scalar g is 1x1.
  const at::Tensor left = g.reshape({g.size(0), shapes.g.rows(), shapes.g.cols()});
  const at::Tensor right = x.reshape({x.size(0), shapes.x.rows(), shapes.x.cols()});
  return left.bmm(right.transpose(1, 2)).flatten(1);
}

at::Tensor sum_entries(const at::Tensor& x) {
  const c10::NoGradGuard unrecorded;
  if (x.size(1) == 1) return x.detach();
  if (x.numel() == 0) return at::zeros({x.size(0), 1}, x.options());
  // A reduction over a dimension adds in an order of its own; ties need the one that others use.
  const at::Tensor offsets = at::arange(0, x.numel() + 1, x.size(1), x.options().dtype(at::kLong));
  return at::segment_reduce(x.reshape({-1, 1}), "sum", std::nullopt, std::nullopt, offsets, 0,
                            /*unsafe=*/true, 0);
}

}  // namespace vecc::libtorch
