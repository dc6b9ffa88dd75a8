#include "vecc/shape.h"

#include <gmock/gmock.h>

#include <unordered_set>

namespace vecc {
namespace {

TEST(Shape, text) {
  EXPECT_EQ(Shape().text(), "1");
  EXPECT_EQ(Shape(3, 1).text(), "3x1");
  EXPECT_EQ(Shape(1, 1).text(), "1x1");
}

TEST(Shape, a_scalar_is_no_1x1) {
  EXPECT_NE(Shape::scalar(), Shape(1, 1));
  EXPECT_EQ(Shape::scalar().size(), 1u);
  EXPECT_FALSE(Shape::scalar().is_vector());
  EXPECT_TRUE(Shape(1, 1).is_vector());
  EXPECT_EQ((std::unordered_set<Shape>{Shape(), Shape(1, 1), Shape()}).size(), 2u);
}

TEST(Shape, size_does_not_overflow) {
  EXPECT_EQ(Shape(0xFFFFFFFF, 0xFFFFFFFF).size(), 0xFFFFFFFE00000001ull);
}

TEST(Shape, transposed) {
  EXPECT_EQ(Shape(3, 2).transposed(), Shape(2, 3));
  EXPECT_EQ(Shape().transposed(), Shape());
}

struct Case {
  Shape left, right;
  std::optional<Shape> result;
};

TEST(Shape, times) {
  const Case cases[] = {
      {Shape(), Shape(3, 1), Shape(3, 1)},      // scaling
      {Shape(2, 3), Shape(), Shape(2, 3)},      //
      {Shape(2, 3), Shape(3, 1), Shape(2, 1)},  // matrix times column
      {Shape(1, 2), Shape(2, 3), Shape(1, 3)},  // row times matrix
      {Shape(1, 3), Shape(3, 1), Shape()},      // dot: a scalar
      {Shape(3, 1), Shape(1, 2), Shape(3, 2)},  // outer
      {Shape(1, 1), Shape(1, 1), Shape()},      // the dot product of one-element vectors
      {Shape(3, 1), Shape(3, 1), std::nullopt}, {Shape(2, 3), Shape(2, 1), std::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(times_shape(c.left, c.right), c.result) << c.left.text() << " " << c.right.text();
  }
}

TEST(Shape, plus) {
  const Case cases[] = {
      {Shape(), Shape(3, 1), Shape(3, 1)},      {Shape(2, 3), Shape(), Shape(2, 3)},
      {Shape(3, 1), Shape(1, 3), Shape(3, 1)},  // vectors: the length counts, the left one's side
      {Shape(1, 3), Shape(3, 1), Shape(1, 3)},  {Shape(2, 3), Shape(2, 3), Shape(2, 3)},
      {Shape(2, 3), Shape(3, 2), std::nullopt}, {Shape(2, 3), Shape(3, 1), std::nullopt},
      {Shape(3, 1), Shape(2, 1), std::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(plus_shape(c.left, c.right), c.result) << c.left.text() << " " << c.right.text();
  }
}

}  // namespace
}  // namespace vecc
