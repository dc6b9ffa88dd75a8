// Products of a linear's rows are those of the rows one by one, whatever is made once for a class.
#include "optimizer/iso/linear_fingerprint.h"

#include <gtest/gtest.h>

#include <random>

namespace vecc::opt::iso {
namespace {

// Classes of random rows of a shape, every seventh zero and every fifth doubtful.
ClassTable random_table(const Keys& keys, Shape shape, std::uint32_t classes, unsigned seed) {
  ClassTable table(keys.part_count(shape));
  std::mt19937_64 random(seed);
  Scratch row(table.part_count());
  for (std::uint32_t id = 0; id < classes; ++id) {
    for (Residues& part : row) {
      part = id % 7 == 3 ? kZero
                         : Residues{FirstField::reduce(random()), SecondField::reduce(random())};
    }
    table.append(row, id % 5 == 4);
  }
  return table;
}

std::vector<std::uint32_t> random_rows(std::uint32_t rows, std::uint32_t classes, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> result(rows);
  for (std::uint32_t& row_class : result) row_class = random() % classes;
  return result;
}

Scratch stored_as(const Keys& keys, RowFingerprint x, bool transposes) {
  Scratch parts(x.parts.size());
  if (transposes) {
    fingerprint_transpose(keys, x, parts);
  } else {
    std::ranges::copy(x.parts, parts.begin());
  }
  return parts;
}

struct Case {
  const char* name;
  Shape left;
  Shape right;
  bool transpose_left;
  bool transpose_right;
};

class LinearFingerprintOf : public testing::TestWithParam<Case> {};

void check_products(const Case& c, std::uint32_t left_classes, std::uint32_t right_classes) {
  constexpr std::uint32_t kRows = 200;
  const Keys keys(1);
  const ClassTable left = random_table(keys, c.left, left_classes, 1);
  const ClassTable right = random_table(keys, c.right, right_classes, 2);
  const auto left_rows = random_rows(kRows, left_classes, 3);
  const auto right_rows = random_rows(kRows, right_classes, 4);
  LinearFingerprint products(keys, {&left, left_rows, c.left, c.transpose_left},
                             {&right, right_rows, c.right, c.transpose_right});
  const Shape a = c.transpose_left ? c.left.transposed() : c.left;
  const Shape b = c.transpose_right ? c.right.transposed() : c.right;
  Scratch found(keys.part_count(*times_shape(a, b)));
  Scratch expected(found.size());
  for (std::uint32_t i = 0; i < kRows; ++i) {
    const std::uint32_t l = left_rows[i];
    const std::uint32_t r = right_rows[i];
    const bool doubtful = products(i, found);
    EXPECT_EQ(doubtful, left.doubtful(l) || right.doubtful(r));
    const Scratch x = stored_as(keys, {c.left, left.parts(l)}, c.transpose_left);
    const Scratch y = stored_as(keys, {c.right, right.parts(r)}, c.transpose_right);
    fingerprint_times(keys, {a, x, left.doubtful(l)}, {b, y, right.doubtful(r)}, expected);
    EXPECT_EQ(found, expected) << i;
  }
}

TEST_P(LinearFingerprintOf, few_classes_on_either_side) {
  check_products(GetParam(), 9, 150);
  check_products(GetParam(), 150, 9);
  check_products(GetParam(), 1, 1);
}

TEST_P(LinearFingerprintOf, more_classes_than_rows) {
  check_products(GetParam(), 300, 9);
  check_products(GetParam(), 9, 300);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, LinearFingerprintOf,
    testing::Values(Case{"matrix_by_column", Shape(20, 20), Shape(20, 1), false, false},
                    Case{"turned_matrix_by_column", Shape(20, 30), Shape(20, 1), true, false},
                    Case{"turned_column_by_column", Shape(20, 1), Shape(20, 1), true, false},
                    Case{"column_by_turned_column", Shape(20, 1), Shape(20, 1), false, true},
                    Case{"narrow", Shape(2, 3), Shape(3, 2), false, false},
                    Case{"turned_narrow", Shape(3, 2), Shape(2, 3), true, true},
                    Case{"scalar", Shape::scalar(), Shape(20, 1), false, false},
                    Case{"wide_by_narrow", Shape(20, 3), Shape(3, 1), false, false}),
    [](const auto& made) { return made.param.name; });

}  // namespace
}  // namespace vecc::opt::iso
