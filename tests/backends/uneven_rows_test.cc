// Segments of which a few are long and most are short: on a GPU more threads share the long ones,
// and several members are under way at once, of which the last are often none of the segment's.
#include <gtest/gtest.h>

#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

// Rows of 1 to 5 members, with some of each length class among them.
Segments uneven_segments(std::uint32_t rows = 400, std::uint32_t longest = 1033) {
  std::vector<std::uint32_t> offsets{0};
  const auto add = [&](std::uint32_t members) { offsets.push_back(offsets.back() + members); };
  for (std::uint32_t row = 0; row < rows; ++row) {
    add(1 + row * 7 % 5);
    if (row % 40 == 3) add(9 + row % 400 / 5);
    if (row == 77) add(longest);
    if (row == 300) add(longest / 2);
  }
  return Segments::ragged(std::move(offsets));
}

ValueId scattered_rows(Program& p, Shape shape, std::uint32_t members) {
  constexpr std::uint32_t kRows = 311;
  std::vector<std::uint32_t> rows(members);
  for (std::uint32_t m = 0; m < members; ++m) rows[m] = m * 101 % kRows;
  return p.gather(random_fact(p, kRows, shape, 1, 0.98, 1.02), Index::list(std::move(rows)));
}

class UnevenRows : public testing::TestWithParam<Combination> {};

TEST_P(UnevenRows, Agree) {
  const Segments segments = uneven_segments();
  const std::uint32_t members = segments.offsets().back();
  for (const Shape shape : {Shape(), Shape::column(3), Shape::column(10), Shape::column(64)}) {
    if (GetParam() == Combination::Softmax && !shape.is_scalar()) continue;
    expect_agreement(shape.text(), [&](Program& p) {
      p.segment(scattered_rows(p, shape, members), segments, GetParam());
    });
  }
}

INSTANTIATE_TEST_SUITE_P(All, UnevenRows,
                         testing::Values(Combination::Sum, Combination::Avg, Combination::Max,
                                         Combination::Min, Combination::Softmax));

// Narrow rows, of which few lanes may have each; where members are numbers these lanes take their
// own.
TEST(UnevenRows, NarrowRowsAgree) {
  const Segments segments = uneven_segments(1'500, 250);
  const std::uint32_t members = segments.offsets().back();
  const auto product_of = [&](Shape shape, Combination combination) {
    expect_agreement(shape.text(), [&](Program& p) {
      const ValueId made = p.segment(scattered_rows(p, shape, members), segments, combination);
      LinearOp linear;
      linear.lift_left = {Lift::Kind::Repeat, segments.count(members)};
      p.linear(random_fact(p, 1, Shape(10, shape.rows()), 2, 0.5, 1.5), made, linear);
    });
  };
  product_of(Shape::column(10), Combination::Sum);
  product_of(Shape(), Combination::Sum);
  product_of(Shape(), Combination::Max);
}

// So many of them that they run in small blocks, with rows among them that such a block shares.
TEST(UnevenRows, ManyNarrowRowsAgree) {
  const Segments segments = uneven_segments(17'500, 3'000);
  const std::uint32_t members = segments.offsets().back();
  for (const Shape shape : {Shape(), Shape::column(10)}) {
    expect_agreement(shape.text(), [&](Program& p) {
      const ValueId sum = p.segment(scattered_rows(p, shape, members), segments, Combination::Sum);
      LinearOp linear;
      linear.lift_left = {Lift::Kind::Repeat, segments.count(members)};
      p.linear(random_fact(p, 1, Shape(10, shape.rows()), 2, 0.5, 1.5), sum, linear);
    });
  }
}

// Sums of outer products: of types with few rows and with many, small matrices and wide ones.
TEST(UnevenRows, SumsOfOuterProductsAgree) {
  constexpr std::uint32_t kRows = 2'100;
  std::vector<std::uint32_t> types(kRows);
  for (std::uint32_t r = 0; r < kRows; ++r) types[r] = r < 1'400 ? 0 : 1 + r % 13;
  for (const Shape shape :
       {Shape(10, 10), Shape(3, 8), Shape(10, 37), Shape(31, 33), Shape(2, 50)}) {
    expect_agreement(shape.text(), [&](Program& p) {
      const ValueId w = p.gather(random_fact(p, 14, shape, 1), Index::compact(types));
      p.linear(w, random_fact(p, kRows, Shape::column(shape.cols()), 2));
    });
  }
}

}  // namespace
}  // namespace vecc::test
