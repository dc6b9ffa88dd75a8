// Every combination of functions.def: as a segment reduction, as a map, or both.
#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <limits>
#include <set>

#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

const std::vector<Shape> kShapes = {Shape(), Shape::column(3), Shape::row(2), Shape(2, 3)};

struct Layout {
  std::string name;
  Segments segments;
};
// Of 24 rows.
std::vector<Layout> layouts() {
  return {{"ragged", Segments::ragged({0, 3, 4, 9, 24})},
          {"ragged with empty ones", Segments::ragged({0, 0, 5, 5, 6, 24, 24})},
          {"one segment", Segments::ragged({0, 24})},
          {"fixed 3", Segments::fixed(3)},
          {"fixed 1", Segments::fixed(1)},
          {"fixed 24", Segments::fixed(24)},
          {"fixed 4 over dimension 1", Segments::fixed(4, 1)},
          {"fixed 24 over dimension 1", Segments::fixed(24, 1)}};
}

bool is_segment(const Layout& layout, Combination combination, Shape shape, std::uint32_t rows) {
  Program program;
  const ValueId x = random_fact(program, rows, shape, 1);
  return program.add(SegmentOp{layout.segments, combination}, {x}).has_value();
}

Expr expr_of(Combination combination, std::uint32_t arity) {
  Expr expr;
  for (std::uint32_t i = 0; i < arity; ++i) {
    ExprNode& leaf = expr.nodes.emplace_back();
    leaf.input = i;
  }
  ExprNode& root = expr.nodes.emplace_back();
  root.kind = ExprNode::Kind::Combine;
  root.combination = combination;
  root.arity = arity;
  return expr;
}

std::set<Combination> covered_by_segments() {
  std::set<Combination> covered;
  for (const CombinationInfo& about : segment_combinations()) {
    for (const Layout& layout : layouts()) {
      for (const Shape shape : kShapes) {
        if (!is_segment(layout, about.id, shape, 24)) continue;
        covered.insert(about.id);
        expect_agreement(
            std::string(about.text) + ", " + layout.name + " of " + shape.text(), [&](Program& p) {
              p.segment(random_fact(p, 24, shape, 5, 0.5, 1.5), layout.segments, about.id);
            });
      }
    }
  }
  return covered;
}

std::set<Combination> covered_by_maps() {
  std::set<Combination> covered;
  for (const CombinationInfo& about : combinations()) {
    for (const std::uint32_t arity : {2u, 3u}) {
      for (const Shape shape : {Shape(), Shape::column(3), Shape::row(2), Shape(3, 3)}) {
        const Expr expr = expr_of(about.id, arity);
        const std::vector<Shape> shapes(arity, shape);
        const bool fits = about.id != Combination::FunctionGraph &&
                          combined_shape(about.id, -1, nullptr, shapes, "").has_value();
        if (!fits) continue;
        covered.insert(about.id);
        expect_agreement(std::string(about.text) + " map of " + shape.text(), [&](Program& p) {
          std::vector<ValueId> operands;
          for (std::uint32_t i = 0; i < arity; ++i) {
            operands.push_back(random_fact(p, i == 1 ? 1 : 6, shape, 20 + i));
          }
          p.map(expr, operands);
          p.map(expr, std::vector<ValueId>(arity, operands[1]));
        });
      }
    }
  }
  return covered;
}

// Fails for a combination without a case in the lowering: the loops are over the table.
TEST(Segment, EveryCombinationOfTheTable) {
  std::set<Combination> covered = covered_by_segments();
  covered.merge(covered_by_maps());
  covered.insert(Combination::FunctionGraph);  // a map's tree itself
  for (const CombinationInfo& about : segment_combinations()) {
    EXPECT_TRUE(covered.contains(about.id)) << about.text << " has no case";
  }
}

TEST(Segment, NoRowsAndNoSegments) {
  for (const CombinationInfo& about : segment_combinations()) {
    const std::vector<Layout> empty = {{"no segments", Segments::ragged({0})},
                                       {"empty segments", Segments::ragged({0, 0, 0})},
                                       {"fixed", Segments::fixed(3)},
                                       {"fixed over dimension 1", Segments::fixed(3, 1)}};
    for (const Layout& layout : empty) {
      for (const Shape shape : {Shape(), Shape::column(2)}) {
        if (!is_segment(layout, about.id, shape, 0)) continue;
        expect_agreement(std::string(about.text) + ", " + layout.name, [&](Program& p) {
          p.segment(p.fact({}, 0, shape), layout.segments, about.id);
        });
      }
    }
  }
}

// The first of equal element sums wins, as a whole; of elmax and elmin the first of equal entries.
TEST(Segment, MaxAndMinTies) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Segments& segments : {Segments::ragged({0, 4, 8}), Segments::fixed(4)}) {
    for (const Combination combination :
         {Combination::Max, Combination::Min, Combination::ElMax, Combination::ElMin}) {
      expect_agreement("ties", [&](Program& p) {
        p.segment(p.fact({1, 2, 0, 3, 3, 0, 2, 1, 4, 4, 5, 3, 3, 5, 8, 0}, 8, Shape::column(2)),
                  segments, combination);
      });
      expect_agreement("NaN", [&](Program& p) {
        p.segment(p.fact({kNan, 2, 3, 4, 1, kNan, 3, 2}, 8, Shape()), segments, combination);
        p.segment(
            p.fact({kNan, kInfinity, 3, 4, -kInfinity, kNan, -kInfinity, kInfinity}, 8, Shape()),
            segments, combination);
        p.segment(p.fact({kNan, 1, 2, kNan, 3, kNan, 0, 5, kInfinity, kNan, kNan, -kInfinity, kNan,
                          -kInfinity, 1, kNan},
                         8, Shape::column(2)),
                  segments, combination);
      });
    }
  }
}

// 400 pairs of a row and its reverse: equal sums but for rounding, which depends on the order of
// adding. A sum in any other order than the interpreter's picks another row somewhere.
TEST(Segment, SelectionAddsInOrder) {
  const std::vector<double> rows = random_values(400 * 16, 3);
  std::vector<double> pairs;
  for (auto row = rows.begin(); row != rows.end(); row += 16) {
    pairs.insert(pairs.end(), row, row + 16);
    pairs.insert(pairs.end(), std::make_reverse_iterator(row + 16),
                 std::make_reverse_iterator(row));
  }
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t i = 0; i <= 800; i += 2) offsets.push_back(i);
  expect_agreement_in(DType::F64, "pairs", [&](Program& p) {
    const ValueId x = p.fact(pairs, 800, Shape::column(16));
    p.segment(x, Segments::ragged(offsets), Combination::Max);
    p.segment(x, Segments::fixed(2), Combination::Min);
    p.map(expr_of(Combination::Max, 2), std::vector{p.gather(x, Index::stride(0, 2, 400)),
                                                    p.gather(x, Index::stride(1, 2, 400))});
  });
}

// Long and short segments together: the sort is over padded rectangles of similar length.
TEST(Segment, SkewedLengths) {
  std::vector<std::uint32_t> offsets = {0};
  for (std::uint32_t s = 0; s < 60; ++s) {
    offsets.push_back(offsets.back() + (s == 17 ? 3000 : s % 5));
  }
  for (const Combination combination : {Combination::Sum, Combination::Avg, Combination::Softmax,
                                        Combination::Sparsemax, Combination::Count}) {
    expect_agreement("skewed " + std::string(info(combination).text), [&](Program& p) {
      p.segment(random_fact(p, offsets.back(), Shape(), 3), Segments::ragged(offsets), combination);
    });
  }
  for (const std::uint32_t size : {5u, 64u}) {
    expect_agreement("skewed columns", [&](Program& p) {
      const ValueId x = random_fact(p, offsets.back(), Shape::column(size), 3);
      p.segment(x, Segments::ragged(offsets), Combination::Softmax);
      offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
      p.segment(x, Segments::ragged(offsets), Combination::ElMax);
      p.segment(x, Segments::ragged(offsets), Combination::ElMin);
    });
  }
}

TEST(Segment, LongScalarSegments) {
  expect_agreement("long", [&](Program& p) {
    const ValueId x = random_fact(p, 5000, Shape(), 3);
    for (const Combination combination :
         {Combination::Sum, Combination::Max, Combination::Softmax}) {
      p.segment(x, Segments::ragged({0, 2000, 2000, 5000}),
                combination == Combination::Max ? Combination::Avg : combination);
      p.segment(x, Segments::ragged({0, 2000, 5000}), combination);
    }
  });
}

// Rows that fill blocks: on a GPU a block's slots share the members of a part of them, but where
// lanes are left over.
TEST(Segment, SlotsShareWideRows) {
  for (const std::uint32_t entries : {2048u, 1408u, 1500u}) {
    expect_agreement("wide " + std::to_string(entries), [&](Program& p) {
      const ValueId x = random_fact(p, 190, Shape::column(entries), 5);
      const auto segments = Segments::ragged({0, 150, 150, 151, 190});
      const ValueId sum = p.segment(x, segments, Combination::Sum);
      const ValueId mean = p.segment(x, segments, Combination::Avg);
      p.map(*parse_expr("sum($0, $1)", "test"), std::array{sum, mean});
      p.segment(x, Segments::ragged({0, 150, 190}), Combination::ElMax);
    });
  }
}

// So many that a warp of a GPU has each.
TEST(Segment, ManyWideRows) {
  constexpr std::uint32_t kRows = 1'100;
  std::vector<std::uint32_t> offsets(kRows + 1);
  for (std::uint32_t row = 0; row <= kRows; ++row) offsets[row] = row + row / 50;
  for (const std::uint32_t entries : {1024u, 1433u, 2048u}) {
    expect_agreement("many wide " + std::to_string(entries), [&](Program& p) {
      const ValueId x = random_fact(p, offsets.back(), Shape::column(entries), 5);
      const ValueId sum = p.segment(x, Segments::ragged(offsets), Combination::Sum);
      p.map(*parse_expr("sum($0, elproduct($0, $0))", "test"), std::array{sum});
    });
  }
}

}  // namespace
}  // namespace vecc::test
