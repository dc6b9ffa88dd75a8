// `segment`: every combination, ragged and fixed over both dimensions, empty segments.
#include <cmath>
#include <limits>

#include "tests/reference/interpreter_check.h"

namespace vecc::test {
namespace {

const double kLn3 = std::log(3.0);

struct SegmentCase {
  Combination combination;
  Segments segments;
  std::vector<double> expected;
};

std::vector<double> run_segment(const std::vector<double>& values, Shape shape,
                                const SegmentCase& c) {
  Program p;
  const auto rows = static_cast<std::uint32_t>(values.size() / shape.size());
  return run_value(p, p.segment(p.fact(values, rows, shape), c.segments, c.combination));
}

TEST(InterpreterSegment, ReducesColumns) {
  using enum Combination;
  // Rows (1,2) (3,-4) (5,6) (0,0.5).
  const std::vector<double> rows = {1, 2, 3, -4, 5, 6, 0, 0.5};
  const Segments ragged = Segments::ragged({0, 3, 3, 4});  // the middle one is empty
  const Segments full = Segments::ragged({0, 3, 4});
  const Segments adjacent = Segments::fixed(2, 2);
  const Segments strided = Segments::fixed(2, 1);
  const std::vector<SegmentCase> cases = {
      {Sum, ragged, {9, 4, 0, 0, 0, 0.5}},
      {Avg, ragged, {3, 4.0 / 3, 0, 0, 0, 0.5}},
      {Count, ragged, {3, 0, 1}},
      {ElProduct, ragged, {15, -48, 1, 1, 0, 0.5}},
      {Max, full, {5, 6, 0, 0.5}},
      {Min, full, {3, -4, 0, 0.5}},
      {Sum, adjacent, {4, -2, 5, 6.5}},
      {Sum, strided, {6, 8, 3, -3.5}},
      {Avg, strided, {3, 4, 1.5, -1.75}},
      {Count, strided, {2, 2}},
      {ElProduct, adjacent, {3, -8, 0, 3}},
      {ElProduct, strided, {5, 12, 0, -2}},
      {Max, adjacent, {1, 2, 5, 6}},
      {Max, strided, {5, 6, 0, 0.5}},
      {Min, strided, {1, 2, 3, -4}},
      {Concat, adjacent, {1, 2, 3, -4, 5, 6, 0, 0.5}},
      {Sum, Segments::ragged({0, 0, 4, 4}), {0, 0, 9, 4.5, 0, 0}},
  };
  for (const SegmentCase& c : cases) {
    EXPECT_THAT(run_segment(rows, Shape::column(2), c), are_near(c.expected))
        << info(c.combination).text;
  }
}

// Equal element sums: the first member wins, whole.
TEST(InterpreterSegment, TiesPickTheFirst) {
  const std::vector<double> rows = {1, 2, 2, 1, 3, 0};
  const Segments all = Segments::ragged({0, 3});
  EXPECT_THAT(run_segment(rows, Shape::row(2), {Combination::Max, all, {}}), are_near({1, 2}));
  EXPECT_THAT(run_segment(rows, Shape::row(2), {Combination::Min, all, {}}), are_near({1, 2}));
}

TEST(InterpreterSegment, SoftmaxAndSparsemaxKeepOneRowAMember) {
  using enum Combination;
  const std::vector<double> rows = {0, kLn3, 7, kLn3, 0, 0.5};
  const Segments ragged = Segments::ragged({0, 2, 2, 3, 5, 6});
  EXPECT_THAT(run_segment(rows, Shape(), {Softmax, ragged, {}}),
              are_near({0.25, 0.75, 1, 0.75, 0.25, 1}));
  EXPECT_THAT(run_segment({0.5, 0.9, -1, 4}, Shape(), {Sparsemax, Segments::ragged({0, 3, 4}), {}}),
              are_near({0.3, 0.7, 0, 1}));
  // Dimension 1: rows 0 and 2, rows 1 and 3.
  const std::vector<double> four = {0, kLn3, kLn3, 0};
  EXPECT_THAT(run_segment(four, Shape(), {Softmax, Segments::fixed(2, 1), {}}),
              are_near({0.25, 0.75, 0.75, 0.25}));
  EXPECT_THAT(run_segment({0, kLn3, 5, 5}, Shape(), {Softmax, Segments::fixed(2, 2), {}}),
              are_near({0.25, 0.75, 0.5, 0.5}));
}

TEST(InterpreterSegment, ConcatFlattensMatrices) {
  const std::vector<double> rows = {1, 2, 3, 4, 5, 6, 7, 8};
  Program p;
  const ValueId y =
      p.segment(p.fact(rows, 2, Shape(2, 2)), Segments::fixed(2), Combination::Concat);
  EXPECT_EQ(p.op(y).shape, Shape::column(8));
  EXPECT_EQ(p.op(y).rows, 1u);
  EXPECT_THAT(run_value(p, y), are_near(rows));
}

}  // namespace
}  // namespace vecc::test
