// Gradients worked out by hand for every combination of functions.def, ties included.
#include <cmath>

#include "tests/function/derivative_case.h"

namespace vecc::test {
namespace {

struct GradientsCase {
  Combination combination;
  std::vector<Value> elements;
  Gradient g;
  std::vector<Gradient> gradients;
  int axis = -1;
  std::string expr = {};  // FunctionGraph
};

std::vector<GradientsCase> reduction_cases() {
  using enum Combination;
  const double ln3 = std::log(3.0);
  return {
      {Sum, {scalar(1), scalar(2)}, {3}, {{3}, {3}}},
      {Sum, {column({1, 2}), column({3, 4})}, {5, 6}, {{5, 6}, {5, 6}}},
      // A scalar was added to every entry; a row to a column entry by entry.
      {Sum, {scalar(1), column({2, 3}), row({4, 5})}, {1, 2}, {{3}, {1, 2}, {1, 2}}},
      {Sum, {matrix(2, 2, {1, 2, 3, 4}), scalar(5)}, {1, 2, 3, 4}, {{1, 2, 3, 4}, {10}}},
      {Avg, {scalar(1), scalar(2), column({3, 4})}, {3, 6}, {{3}, {3}, {1, 2}}},
      {Max, {scalar(1), scalar(3), scalar(2)}, {7}, {{0}, {7}, {0}}},
      {Max, {column({1, 2}), column({3, 0})}, {1, 2}, {{1, 2}, {0, 0}}},  // a tie: the first
      {Min, {scalar(1), scalar(0), scalar(0)}, {7}, {{0}, {7}, {0}}},
      {Min, {row({5, 5}), row({9, 0})}, {1, 2}, {{0, 0}, {1, 2}}},
      {Count, {scalar(1), column({2, 3})}, {7}, {{0}, {0, 0}}},
      {Concat, {scalar(1), row({2, 3})}, {4, 5, 6}, {{4}, {5, 6}}},
      {Concat,
       {row({1, 2}), matrix(2, 2, {3, 4, 5, 6})},
       {1, 2, 3, 4, 5, 6},
       {{1, 2}, {3, 4, 5, 6}},
       0},
      // y = (1/4, 3/4); y (g - y . g)
      {Softmax, {scalar(0), scalar(ln3)}, {4, 0}, {{0.75}, {-0.75}}},
      {Sparsemax, {scalar(0.5), scalar(0.9), scalar(-1)}, {1, 4, 9}, {{-1.5}, {1.5}, {0}}},
      {ElProduct, {scalar(2), scalar(3), scalar(4)}, {1}, {{12}, {8}, {6}}},
      // The product of the others, zeros or not.
      {ElProduct, {scalar(0), scalar(3), scalar(4)}, {1}, {{12}, {0}, {0}}},
      {ElProduct, {scalar(0), scalar(3), scalar(0)}, {1}, {{0}, {0}, {0}}},
      {ElProduct, {scalar(2), column({3, 0}), row({4, 5})}, {1, 10}, {{12}, {8, 100}, {6, 0}}},
  };
}

std::vector<GradientsCase> list_gradient_cases() {
  using enum Combination;
  return {
      {Product, {scalar(2), scalar(3), scalar(4)}, {1}, {{12}, {8}, {6}}},
      {Product, {scalar(2), column({3, 4})}, {1, 10}, {{43}, {2, 20}}},
      {Product, {row({1, 2}), column({3, 4})}, {5}, {{15, 20}, {5, 10}}},
      {Product, {column({1, 2}), row({3, 4})}, {1, 0, 0, 1}, {{3, 4}, {1, 2}}},
      // A B with G at the result: G B^T and A^T G. NeuraLogic has G^T A for the second.
      {Product,
       {matrix(2, 2, {1, 2, 3, 4}), matrix(2, 2, {5, 6, 7, 8})},
       {1, 2, 3, 4},
       {{17, 23, 39, 53}, {10, 14, 14, 20}}},
      // Row times matrix times column, and a scalar after all of it.
      {Product,
       {row({1, 2}), matrix(2, 2, {1, 0, 3, 1}), column({1, 5}), scalar(2)},
       {1},
       {{2, 16}, {2, 10, 4, 20}, {14, 4}, {17}}},
      // Values a+c, a+d, b+c, b+d.
      {CrossSum, {column({1, 2}), row({3, 4})}, {1, 2, 4, 8}, {{3, 12}, {5, 10}}},
      {CrossSum, {scalar(1), column({3, 4}), scalar(2)}, {1, 2}, {{3}, {1, 2}, {3}}},
      // cos = 24/25; (y/|y| - cos x/|x|)/|x|
      {CosSim, {column({3, 4}), row({4, 3})}, {5}, {{0.224, -0.168}, {-0.168, 0.224}}},
      {FunctionGraph,
       {scalar(2), scalar(3), scalar(4)},
       {1},
       {{4}, {4}, {5}},
       -1,
       "elproduct(sum($0, $1), $2)"},
      // x^2 + 3 x y, x read twice, z not at all.
      {FunctionGraph,
       {scalar(2), scalar(5), column({1, 1})},
       {1},
       {{19}, {6}, {0, 0}},
       -1,
       "sum(square($0), product(3, $0, $1))"},
      {FunctionGraph, {column({1, 2, 3})}, {1}, {{0, 0, -1}}, -1, "reverse(atindex[2]($0))"},
  };
}

std::vector<GradientsCase> all_gradient_cases() {
  std::vector<GradientsCase> cases = reduction_cases();
  for (GradientsCase& c : list_gradient_cases()) cases.push_back(std::move(c));
  return cases;
}

TEST(CombinationDerivatives, ByHand) {
  for (const GradientsCase& c : all_gradient_cases()) {
    const Expr expr = c.expr.empty() ? Expr() : parse_expr(c.expr, "test").value();
    const auto found = gradients_of(c.combination, c.elements, c.g, c.axis, &expr);
    ASSERT_EQ(found.size(), c.gradients.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      expect_gradient(found[k], c.gradients[k],
                      std::string(info(c.combination).text) + c.expr + ", element " +
                          std::to_string(k) + " of " + std::to_string(found.size()));
    }
  }
}

TEST(CombinationDerivatives, EveryOneHasACase) {
  const auto cases = all_gradient_cases();
  for (const CombinationInfo& about : combinations()) {
    const auto is_of = [&](const GradientsCase& c) { return c.combination == about.id; };
    EXPECT_TRUE(std::ranges::any_of(cases, is_of)) << about.text << " has no case";
  }
}

// One gradient is not asked for: the others stay as they are.
TEST(CombinationDerivatives, EmptySpansAreLeftOut) {
  for (const GradientsCase& c : all_gradient_cases()) {
    const Expr expr = c.expr.empty() ? Expr() : parse_expr(c.expr, "test").value();
    const Value y = apply(c.combination, c.elements, c.axis, &expr).value();
    for (std::size_t unwanted = 0; unwanted < c.elements.size(); ++unwanted) {
      std::vector<Gradient> found;
      std::vector<Element> views;
      for (const Value& element : c.elements) {
        found.emplace_back(element.values.size());
        views.push_back({element.shape, element.values});
      }
      std::vector<std::span<double>> spans(found.begin(), found.end());
      spans[unwanted] = {};
      differentiate(c.combination, &expr, views, y.values, c.g, spans);
      for (std::size_t k = 0; k < found.size(); ++k) {
        const Gradient nothing(found[k].size());
        expect_gradient(found[k], k == unwanted ? nothing : c.gradients[k],
                        std::string(info(c.combination).text) + c.expr);
      }
    }
  }
}

// One neuron read twice: both parts meet in one place.
TEST(CombinationDerivatives, SharedElementsAddUp) {
  for (const GradientsCase& c : all_gradient_cases()) {
    if (c.elements.size() != 2 || c.elements[0].shape != c.elements[1].shape) continue;
    const Value& x = c.elements[0];
    const std::vector<Value> twice = {x, x};
    const auto apart = gradients_of(c.combination, twice, c.g, c.axis);
    const Value y = apply(c.combination, twice, c.axis).value();
    Gradient together(x.values.size());
    const std::vector<std::span<double>> spans = {together, together};
    const std::vector<Element> views(2, Element{x.shape, x.values});
    differentiate(c.combination, nullptr, views, y.values, c.g, spans);
    Gradient sum = apart[0];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += apart[1][i];
    expect_gradient(together, sum, std::string(info(c.combination).text));
  }
}

}  // namespace
}  // namespace vecc::test
