// Every op of a Program against numbers worked out by hand.
#include <cmath>

#include "tests/reference/interpreter_check.h"

namespace vecc::test {
namespace {

const Shape kScalar;

TEST(InterpreterOps, FactAndUnit) {
  Program p;
  const ValueId facts = p.fact({1, 2, 3, 4}, 2, Shape::row(2));
  const ValueId units = p.unit_fact(3);
  EXPECT_THAT(run_value(p, facts), are_near({1, 2, 3, 4}));
  EXPECT_THAT(run_value(p, units), are_near({1, 1, 1}));
}

// 1/3 is not a float: an F32 program is still run in double.
TEST(InterpreterOps, ComputesInDoubleWhateverTheDtype) {
  Program p(DType::F32);
  const ValueId third = p.fact({1.0 / 3}, 1, kScalar);
  TransformationSpec square;
  square.id = Transformation::Square;
  EXPECT_EQ(run_value(p, p.transform(third, square)), std::vector<double>{1.0 / 3 * (1.0 / 3)});
}

TEST(InterpreterOps, Concat) {
  Program p;
  const ValueId a = p.fact({1, 2}, 1, Shape::column(2));
  const ValueId b = p.fact({3, 4, 5, 6}, 2, Shape::column(2));
  const ValueId operands[] = {b, a, b};
  EXPECT_THAT(run_value(p, p.concat(operands)), are_near({3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
}

TEST(InterpreterOps, GatherByEveryFormOfIndex) {
  Program p;
  const ValueId a = p.fact({0, 1, 10, 11, 20, 21, 30, 31}, 4, Shape::row(2));
  const std::vector<std::pair<Index, std::vector<double>>> cases = {
      {Index::slice(1, 2), {10, 11, 20, 21}},
      {Index::stride(0, 3, 2), {0, 1, 30, 31}},
      {Index::repeat(2, 2), {0, 1, 10, 11, 0, 1, 10, 11}},
      {Index::interleave(2, 2), {0, 1, 0, 1, 10, 11, 10, 11}},
      {Index::list({3, 0, 3}), {30, 31, 0, 1, 30, 31}},
      {Index::list({}), {}},
  };
  for (const auto& [index, expected] : cases) {
    EXPECT_THAT(run_value(p, add(p, GatherOp{index}, {a})), are_near(expected));
  }
}

TEST(InterpreterOps, LinearRowByRow) {
  Program p;
  const ValueId w = p.fact({1, 2, 3, 4, 0, 1, 1, 0}, 2, Shape(2, 2));
  const ValueId x = p.fact({1, 10, 5, 6}, 2, Shape::column(2));
  const ValueId s = p.fact({2, 3}, 2, kScalar);
  EXPECT_THAT(run_value(p, p.linear(w, x)), are_near({21, 43, 6, 5}));
  EXPECT_THAT(run_value(p, p.linear(s, x)), are_near({2, 20, 15, 18}));
}

TEST(InterpreterOps, LinearTransposed) {
  Program p;
  const ValueId w = p.fact({1, 2, 3, 4, 5, 6}, 1, Shape(2, 3));
  const ValueId x = p.fact({1, 10}, 1, Shape::column(2));
  const ValueId r = p.fact({1, 0, 2}, 1, Shape::row(3));
  EXPECT_THAT(
      run_value(p, p.linear(w, x, {.transpose_left = true, .lift_left = {}, .lift_right = {}})),
      are_near({41, 52, 63}));
  EXPECT_THAT(
      run_value(p, p.linear(w, r, {.transpose_right = true, .lift_left = {}, .lift_right = {}})),
      are_near({7, 16}));
  // A column by a transposed column: the outer product.
  EXPECT_THAT(
      run_value(p, p.linear(x, x, {.transpose_right = true, .lift_left = {}, .lift_right = {}})),
      are_near({1, 10, 10, 100}));
}

TEST(InterpreterOps, LinearLifted) {
  Program p;
  const ValueId a = p.fact({1, 2}, 2, kScalar);
  const ValueId b = p.fact({1, 10, 100, 1000}, 4, kScalar);
  const Lift repeat{Lift::Kind::Repeat, 2};
  const Lift interleave{Lift::Kind::Interleave, 2};
  EXPECT_THAT(run_value(p, p.linear(a, b, {.lift_left = repeat, .lift_right = {}})),
              are_near({1, 20, 100, 2000}));
  EXPECT_THAT(run_value(p, p.linear(b, a, {.lift_left = {}, .lift_right = interleave})),
              are_near({1, 10, 200, 2000}));
  EXPECT_THAT(run_value(p, p.linear(a, a, {.lift_left = repeat, .lift_right = interleave})),
              are_near({1, 2, 2, 4}));
}

TEST(InterpreterOps, TransformWithWordsForAllAndByRow) {
  Program p;
  const ValueId a = p.fact({1, 2, 3, 4, 5, 6}, 2, Shape::column(3));
  TransformationSpec at;
  at.id = Transformation::AtIndex;
  TransformationSpec slice;
  slice.id = Transformation::Slice;
  EXPECT_THAT(run_value(p, p.transform(a, at, {2})), are_near({3, 6}));
  EXPECT_THAT(run_value(p, p.transform(a, at, {2, 0})), are_near({3, 4}));
  EXPECT_THAT(run_value(p, p.transform(a, slice, {0, 2, 0, kToEnd, 1, 3, 0, 1})),
              are_near({1, 2, 5, 6}));
}

TEST(InterpreterOps, TransformRowByRow) {
  Program p;
  const double ln3 = std::log(3.0);
  const ValueId a = p.fact({0, ln3, ln3, 0}, 2, Shape::row(2));
  TransformationSpec softmax;
  softmax.id = Transformation::Softmax;
  const ValueId y = p.transform(a, softmax);
  EXPECT_EQ(p.op(y).shape, Shape::column(2));
  EXPECT_THAT(run_value(p, y), are_near({0.25, 0.75, 0.75, 0.25}));
}

TEST(InterpreterOps, MapBroadcastsSingleRows) {
  Program p;
  const ValueId a = p.fact({1, 2, 3}, 3, kScalar);
  const ValueId b = p.fact({10, 20}, 1, Shape::row(2));
  const ValueId operands[] = {a, b};
  const Expr expr = parse_expr("concat(elproduct($0, $1), crosssum($0, $1), $0)", "").value();
  EXPECT_THAT(run_value(p, p.map(expr, operands)),
              are_near({10, 20, 11, 21, 1, 20, 40, 12, 22, 2, 30, 60, 13, 23, 3}));
}

// g_e x_e^T summed by type; type 1 has no row.
TEST(InterpreterOps, ContractOverMatrices) {
  Program p;
  const ValueId g = p.fact({1, 2, 3, 4, 5, 6}, 3, Shape::column(2));
  const ValueId x = p.fact({1, 0, 0, 1, 1, 1}, 3, Shape::column(2));
  const ValueId dw = add(p, ContractOp{Index::list({0, 2, 0}), 3, Shape(2, 2)}, {g, x});
  EXPECT_THAT(run_value(p, dw), are_near({1 + 5, 5, 2 + 6, 6,  //
                                          0, 0, 0, 0,          //
                                          0, 3, 0, 4}));
}

// The gradient of times(w, x) at w for the other shapes: scale, dot, outer, matrix by matrix.
TEST(InterpreterOps, ContractOverOtherShapes) {
  Program p;
  const Index one = Index::list({0});
  const ValueId scalar = p.fact({2}, 1, kScalar);
  const ValueId column = p.fact({3, 4}, 1, Shape::column(2));
  const ValueId row = p.fact({5, 6}, 1, Shape::row(2));
  const ValueId square = p.fact({1, 2, 3, 4}, 1, Shape(2, 2));
  const auto contract = [&](Shape weight, ValueId g, ValueId x) {
    return run_value(p, add(p, ContractOp{one, 1, weight}, {g, x}));
  };
  EXPECT_THAT(contract(kScalar, scalar, scalar), are_near({4}));              // w s
  EXPECT_THAT(contract(kScalar, column, column), are_near({25}));             // w scales a column
  EXPECT_THAT(contract(Shape::column(2), column, scalar), are_near({6, 8}));  // scaled by x
  EXPECT_THAT(contract(Shape::row(2), scalar, column), are_near({6, 8}));     // dot
  // w column, x row: outer product; dw = g x^T = [[1, 2], [3, 4]] [5, 6]^T.
  EXPECT_THAT(contract(Shape::column(2), square, row), are_near({17, 39}));
  EXPECT_THAT(contract(Shape(2, 2), square, square), are_near({5, 11, 11, 25}));  // g x^T
}

TEST(InterpreterOps, OutputsAreInSampleOrder) {
  Program p;
  p.set_sample_count(3);
  const ValueId a = p.fact({1, 2, 3, 4}, 2, Shape::column(2));
  const ValueId b = p.fact({9}, 1, kScalar);
  p.output(a, Index::list({2, 0}));
  p.output(b, Index::list({1}));
  const auto executable = compile_or_throw(p);
  ASSERT_TRUE(executable->run().has_value());
  const auto outputs = executable->outputs().value();
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0].value, (std::vector<double>{3, 4}));
  EXPECT_EQ(outputs[0].shape, Shape::column(2));
  EXPECT_EQ(outputs[1].value, std::vector<double>{9});
  EXPECT_EQ(outputs[1].shape, kScalar);
  EXPECT_EQ(outputs[2].value, (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace vecc::test
