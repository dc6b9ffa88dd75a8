// A case worked out by hand for every combination of functions.def.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/function/function_case.h"

namespace vecc::test {
namespace {

struct CombinationCase {
  Combination combination;
  std::vector<Value> elements;
  Value y;
  int axis = -1;
  std::string expression = {};
};

Result<Value> result_of(const CombinationCase& c) {
  if (c.expression.empty()) return apply(c.combination, c.elements, c.axis);
  const auto expr = parse_expr(c.expression, "test");
  if (!expr) return expr.error();
  return apply(c.combination, c.elements, c.axis, &*expr);
}

// Sums with broadcasting, products entry by entry.
std::vector<CombinationCase> plus_cases() {
  using enum Combination;
  const Value m = matrix(2, 2, {1, 2, 3, 4});
  return {
      {Sum, {scalar(1), scalar(2), scalar(4)}, scalar(7)},
      {Sum, {column({1, 2}), column({10, 20})}, column({11, 22})},
      {Sum, {m, m}, matrix(2, 2, {2, 4, 6, 8})},
      // A scalar broadcasts wherever it stands; two vectors need the length only.
      {Sum, {scalar(1), row({1, 2}), scalar(1)}, row({3, 4})},
      {Sum, {scalar(1), m}, matrix(2, 2, {2, 3, 4, 5})},
      {Sum, {column({1, 2}), row({10, 20})}, column({11, 22})},
      {Sum, {scalar(5), row({1, 2}), column({10, 20})}, row({16, 27})},
      {Avg, {scalar(1), scalar(2), scalar(6)}, scalar(3)},
      {Avg, {column({1, 2}), scalar(3)}, column({2, 2.5})},
      {Avg, {row({1, 2}), row({3, 6})}, row({2, 4})},
      {Avg, {m, m}, m},
      {ElProduct, {scalar(2), scalar(-3)}, scalar(-6)},
      {ElProduct, {column({1, 2}), row({3, 4})}, column({3, 8})},
      {ElProduct, {scalar(2), m, m}, matrix(2, 2, {2, 8, 18, 32})},
      {ElProduct, {row({1, 0}), row({5, 6})}, row({5, 0})},
  };
}

std::vector<CombinationCase> selecting_cases() {
  using enum Combination;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Value a = matrix(2, 2, {1, 2, 3, 4});
  const Value b = matrix(2, 2, {10, -9, 0, 8});
  return {
      {Max, {scalar(1), scalar(3), scalar(2)}, scalar(3)},
      // The whole element with the largest sum, not the largest entries.
      {Max, {column({9, -9}), column({1, 1}), column({0, 1})}, column({1, 1})},
      {Max, {row({1, 2}), row({2, 1}), row({3, 0})}, row({1, 2})},  // ties: the first
      {Max, {b, a}, a},
      {Max, {scalar(1), scalar(nan), scalar(2)}, scalar(2)},
      {Min, {scalar(1), scalar(3), scalar(-2)}, scalar(-2)},
      {Min, {column({9, -9}), column({1, 1}), column({0, 0})}, column({9, -9})},
      {Min, {row({5, 5}), row({2, 1}), row({3, 0})}, row({2, 1})},
      {Min, {a, b}, b},
      {Count, {scalar(7), scalar(8)}, scalar(2)},
      {Count, {column({1, 2}), row({1, 2, 3}), a}, scalar(3)},  // shapes do not matter
  };
}

std::vector<CombinationCase> list_combination_cases() {
  using enum Combination;
  const Value m = matrix(2, 2, {1, 2, 3, 4});
  const double ln3 = std::log(3.0);
  return {
      {Concat, {scalar(1), column({2, 3}), row({4, 5}), m}, column({1, 2, 3, 4, 5, 1, 2, 3, 4})},
      {Concat, {scalar(1), scalar(2)}, column({1, 2})},
      {Concat, {m, row({5, 6})}, matrix(3, 2, {1, 2, 3, 4, 5, 6}), 0},
      {Concat, {row({1, 2}), row({3, 4})}, matrix(2, 2, {1, 2, 3, 4}), 0},
      {Concat, {column({1, 2}), scalar(3), column({4})}, column({1, 2, 3, 4}), 0},
      {Concat, {scalar(1), scalar(2)}, column({1, 2}), 0},
      {Softmax, {scalar(0), scalar(ln3)}, column({0.25, 0.75})},
      {Sparsemax, {scalar(0.5), scalar(0.9), scalar(-1)}, column({0.3, 0.7, 0})},
      {Product, {scalar(2), scalar(3), scalar(4)}, scalar(24)},
      {Product, {scalar(2), column({1, 2})}, column({2, 4})},
      {Product, {row({1, 2}), column({3, 4})}, scalar(11)},
      {Product, {column({1, 2}), row({3, 4})}, matrix(2, 2, {3, 4, 6, 8})},
      {Product, {m, column({1, 1})}, column({3, 7})},
      {Product, {row({1, 1}), m}, row({4, 6})},
      // Left to right: a dot product first, which then scales.
      {Product, {row({1, 2}), column({3, 4}), column({1, 10})}, column({11, 110})},
      {Product, {m, matrix(2, 3, {1, 0, 2, 0, 1, 1})}, matrix(2, 3, {1, 2, 4, 3, 4, 10})},
      // The last index is the fastest.
      {CrossSum, {column({1, 2}), column({10, 20})}, column({11, 21, 12, 22})},
      {CrossSum, {scalar(1), row({0, 1}), column({10, 20, 30})}, column({11, 21, 31, 12, 22, 32})},
      {CrossSum, {scalar(1), scalar(2)}, column({3})},
      {CrossSum, {m, scalar(1)}, column({2, 3, 4, 5})},
      {CosSim, {column({3, 4}), column({4, 3})}, scalar(0.96)},
      {CosSim, {row({1, 0}), column({0, 2})}, scalar(0)},
      {CosSim, {column({0, 0}), column({0, 2})}, scalar(std::nan(""))},
      {FunctionGraph,
       {scalar(1), column({1, 2}), column({3, 5})},
       column({6, 15}),
       -1,
       "elproduct(sum($0, $1), $2)"},
      {FunctionGraph, {row({1, -2})}, row({1, 0}), -1, "relu($0)"},
      {FunctionGraph,
       {row({1, -2}), scalar(3)},
       column({3, -6, 1, -2, 6}),
       -1,
       "concat(elproduct($0, sum($1, 0)), transp($0), 6)"},
  };
}

std::vector<CombinationCase> all_combination_cases() {
  std::vector<CombinationCase> cases = plus_cases();
  for (CombinationCase& c : selecting_cases()) cases.push_back(std::move(c));
  for (CombinationCase& c : list_combination_cases()) cases.push_back(std::move(c));
  return cases;
}

std::string name_of(const CombinationCase& c) {
  std::string name(info(c.combination).text);
  for (const Value& element : c.elements) name += " " + element.shape.text();
  return name;
}

TEST(Combinations, ByHand) {
  for (const CombinationCase& c : all_combination_cases())
    expect_value(result_of(c), c.y, name_of(c));
}

TEST(Combinations, EveryOneHasACase) {
  const auto cases = all_combination_cases();
  for (const CombinationInfo& about : combinations()) {
    const auto is_of = [&](const CombinationCase& c) { return c.combination == about.id; };
    EXPECT_TRUE(std::ranges::any_of(cases, is_of)) << about.text << " has no case";
  }
}

// The table's `order`: reversing the elements changes nothing where it says Free.
TEST(Combinations, FreeOnesDoNotDependOnOrder) {
  const std::vector<Value> elements = {scalar(2), scalar(-1), scalar(4)};
  const std::vector<Value> reversed(elements.rbegin(), elements.rend());
  for (const CombinationInfo& about : combinations()) {
    if (about.order == CombinationOrder::Ordered) continue;
    const auto y = apply(about.id, elements);
    ASSERT_TRUE(y.has_value()) << about.text;
    expect_value(apply(about.id, reversed), *y, std::string(about.text));
  }
}

struct BadCase {
  Combination combination;
  std::vector<Value> elements;
  std::string message;
  int axis = -1;
};

TEST(Combinations, ElementsThatDoNotFit) {
  using enum Combination;
  const Value m = matrix(2, 2, {1, 2, 3, 4});
  const Value c2 = column({1, 2});
  const Value c3 = column({1, 2, 3});
  const std::vector<BadCase> cases = {
      {Sum,
       {c2, c3},
       "sum of 2x1 and 3x1 (element 1): expected equal shapes, vectors of equal length or scalars "
       "[E014]"},
      {Sum,
       {scalar(1), m, row({1, 2})},
       "sum of 2x2 and 1x2 (element 2): expected equal shapes, vectors of equal length or scalars "
       "[E014]"},
      {Avg,
       {c2, m},
       "avg of 2x1 and 2x2 (element 1): expected equal shapes, vectors of equal length or scalars "
       "[E014]"},
      {ElProduct,
       {m, c2},
       "elproduct of 2x2 and 2x1 (element 1): expected equal shapes, vectors of equal length or "
       "scalars [E014]"},
      {Max, {c2, row({1, 2})}, "max of 2x1 and 1x2 (element 1): expected equal shapes [E014]"},
      {Min, {scalar(1), c2}, "min of 1 and 2x1 (element 1): expected equal shapes [E014]"},
      {Softmax, {scalar(1), c2}, "softmax of 2x1 (element 1), expected scalars [E017]"},
      {Sparsemax, {c2, c2}, "sparsemax of 2x1 (element 0), expected scalars [E017]"},
      {Product,
       {c2, c2},
       "product of 2x1 and 2x1 (element 1): the left one's columns must equal the right one's rows "
       "[E014]"},
      {CosSim, {c2}, "cossim of 1 elements, expected 2 [E020]"},
      {CosSim,
       {c2, c3},
       "cossim of 2x1 and 3x1 (element 1): expected vectors of equal length "
       "[E014]"},
      {CosSim, {c2, scalar(1)}, "cossim of 1 (element 1), expected a vector [E017]"},
      {CosSim, {m, m}, "cossim of 2x2 (element 0), expected a vector [E017]"},
      {Concat,
       {m, c2},
       "concat of 2x2 and 2x1 (element 1): expected equal numbers of columns "
       "[E014]",
       0},
      {Concat, {m, c2}, "concat has axis 1, expected -1 or 0 [E018]", 1},
      {Sum, {}, "sum of no elements, expected at least 1 [E020]"},
  };
  for (const BadCase& c : cases) {
    EXPECT_EQ(error_text(apply(c.combination, c.elements, c.axis)), "test: error: " + c.message);
  }
}

TEST(Combinations, HugeResultsAreRefusedBeforeTheyAreMade) {
  const auto shape_of = [](Combination combination, std::vector<Shape> shapes) {
    return error_text(combined_shape(combination, -1, nullptr, shapes, "test"));
  };
  EXPECT_EQ(shape_of(Combination::CrossSum, std::vector<Shape>(40, Shape::column(1000))),
            "test: error: crosssum makes more than 16777216 elements [E044]");
  EXPECT_EQ(shape_of(Combination::Product, {Shape::column(1u << 20), Shape::row(1u << 20)}),
            "test: error: product makes 1048576x1048576, more than 16777216 elements [E044]");
  EXPECT_EQ(shape_of(Combination::Concat, std::vector<Shape>(3, Shape(1u << 31, 1u << 31))),
            "test: error: concat makes more than 16777216 elements [E044]");
}

TEST(Combinations, ExpressionErrorsHaveThePlace) {
  const auto expr = parse_expr("sum($0, $3)", "test");
  ASSERT_TRUE(expr.has_value());
  EXPECT_EQ(error_text(apply(Combination::FunctionGraph, {scalar(1)}, -1, &*expr)),
            "test: error: functiongraph of 1 elements, expected at least 4 [E020]");
  const auto softmax = parse_expr("softmax($0)", "test");
  ASSERT_TRUE(softmax.has_value());
  EXPECT_EQ(error_text(apply(Combination::FunctionGraph, {scalar(1)}, -1, &*softmax)),
            "test: error: softmax of a scalar, expected a vector or a matrix [E017]");
}

}  // namespace
}  // namespace vecc::test
