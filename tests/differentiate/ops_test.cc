// The backward rule of every op, function, shape and lift against the interpreter's reverse mode.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/differentiate/gradient_case.h"
#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

// Values in [low, high), the same for the same size.
ValueId random_fact(Program& program, std::uint32_t rows, Shape shape, double low = -1,
                    double high = 1) {
  RandomSource random(rows * 31 + shape.size());
  std::vector<double> values(rows * shape.size());
  for (double& v : values) v = random.real(low, high);
  return program.fact(std::move(values), rows, shape);
}

const std::vector<Shape> kShapes = {Shape(),     Shape(1, 1), Shape(3, 1),
                                    Shape(1, 3), Shape(2, 3), Shape(3, 3)};

TEST(OpGradients, Transformations) {
  for (const TransformationInfo& about : transformations()) {
    for (const Shape shape : kShapes) {
      TransformationSpec spec{.id = about.id, .target = {}};
      std::vector<std::uint32_t> words;
      if (about.parameters == FunctionParameters::Target) {
        spec.target = about.id == Transformation::Reshape
                          ? Shape::row(static_cast<std::uint32_t>(shape.size()))
                          : Shape(2, 3);
      }
      if (about.parameters == FunctionParameters::Index) words = {0};
      if (about.parameters == FunctionParameters::Bounds) words = {0, kToEnd, 0, 1};
      Program probe(DType::F64);
      const ValueId x = random_fact(probe, 4, shape, 0.1, 2);
      TransformOp op{spec, std::make_shared<const std::vector<std::uint32_t>>(words)};
      if (!probe.add(op, {x})) continue;  // no such function of the shape
      for (const double low : {-2.0, 0.1}) {
        expect_gradients(std::string(about.text) + " of " + shape.text(), [&](Program& p) {
          p.add(op, {random_fact(p, 4, shape, low, 2)}).value();
        });
      }
    }
  }
}

TEST(OpGradients, WordsByRow) {
  expect_gradients("atindex", [](Program& p) {
    p.transform(random_fact(p, 3, Shape(2, 2)), {.id = Transformation::AtIndex, .target = {}},
                {3, 0, 3});
  });
  expect_gradients("slice", [](Program& p) {
    p.transform(random_fact(p, 2, Shape(3, 2)), {.id = Transformation::Slice, .target = {}},
                {0, 2, 0, 1, 1, 3, 1, 2});
  });
}

TEST(OpGradients, SlopesOfBothSigns) {
  for (const double slope : {-0.5, 0.0, 0.2, 1.5}) {
    expect_gradients("leakyrelu", [&](Program& p) {
      p.transform(random_fact(p, 9, Shape(2, 1)),
                  {.id = Transformation::LeakyRelu, .slope = slope, .target = {}});
    });
  }
}

TEST(OpGradients, Segments) {
  const std::vector<Segments> all = {
      Segments::ragged({0, 2, 3, 6}), Segments::ragged({0, 0, 1, 1, 6, 6}),
      Segments::fixed(3, 2),          Segments::fixed(3, 1),
      Segments::fixed(1, 2),          Segments::fixed(6, 1)};
  for (const CombinationInfo& about : segment_combinations()) {
    for (const Segments& segments : all) {
      for (const Shape shape : kShapes) {
        Program probe(DType::F64);
        const SegmentOp op{segments, about.id};
        if (!probe.add(op, {random_fact(probe, 6, shape)})) continue;
        expect_gradients(std::string(about.text) + " of " + shape.text(),
                         [&](Program& p) { p.add(op, {random_fact(p, 6, shape)}).value(); });
      }
    }
  }
}

TEST(OpGradients, Maps) {
  const std::vector<std::string> of_columns = {"sum($0, $1)",
                                               "sum($0, $1, $0)",
                                               "elproduct(sum($0, $1), tanh($0))",
                                               "concat($0, $1)",
                                               "crosssum($0, $1)",
                                               "cossim($0, $1)",
                                               "max($0, $1)",
                                               "min($1, $0, $0)",
                                               "avg($0, $1, 0.5)",
                                               "norm(softmax($1))",
                                               "product(transp($0), $1)",
                                               "slice[1:3, 0:]($0)",
                                               "atindex[2]($1)",
                                               "sum(0.5, atindex[0]($0), count($0, $1))"};
  for (const std::string& text : of_columns) {
    for (const std::uint32_t rows : {4u, 1u}) {
      expect_gradients(text, [&](Program& p) {
        const ValueId a = random_fact(p, 4, Shape::column(3), 0.1, 1);
        const ValueId b = random_fact(p, rows, Shape::column(3), 1, 2);
        p.map(*parse_expr(text, ""), std::vector{a, b});
        p.map(*parse_expr(text, ""), std::vector{b, a});
        p.map(*parse_expr(text, ""), std::vector{a, a});
      });
    }
  }
}

TEST(OpGradients, TermsThatBroadcast) {
  expect_gradients("a scalar, one row, a row of a column's length", [](Program& p) {
    const ValueId column = random_fact(p, 4, Shape::column(3));
    const ValueId scalar = random_fact(p, 4, Shape());
    const ValueId single = random_fact(p, 1, Shape::column(3));
    const ValueId row = random_fact(p, 4, Shape::row(3));
    p.map(*parse_expr("sum($0, $1, $2, $3)", ""), std::vector{column, scalar, single, row});
  });
}

// Both sides, every transpose, with the product's rows read plainly or in another order.
TEST(OpGradients, Linears) {
  std::vector<Shape> shapes = kShapes;
  shapes.emplace_back(3, 2);
  shapes.emplace_back(4, 1);
  const std::vector<std::pair<Lift, Lift>> lifts = {
      {{}, {}},
      {{Lift::Kind::Repeat, 3}, {}},
      {{Lift::Kind::Interleave, 3}, {}},
      {{}, {Lift::Kind::Repeat, 6}},
      {{}, {Lift::Kind::Interleave, 2}},
      {{Lift::Kind::Repeat, 2}, {Lift::Kind::Interleave, 3}},
      {{Lift::Kind::Interleave, 1}, {Lift::Kind::Repeat, 1}}};
  for (const Shape left : shapes) {
    for (const Shape right : shapes) {
      for (const int flags : {0, 1, 2, 3}) {
        for (const auto& both : lifts) {
          const Lift lift_left = both.first;
          const Lift lift_right = both.second;
          const LinearOp op{(flags & 1) != 0, (flags & 2) != 0, lift_left, lift_right};
          const auto build = [&](Program& p, bool gathers) {
            ValueId a = random_fact(p, 6 / lift_left.times, left);
            ValueId b = random_fact(p, 6 / lift_right.times, right);
            if (gathers) {
              const auto reads = [&](ValueId v) {
                std::vector<std::uint32_t> rows(p.op(v).rows);
                for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = (i * i) % rows.size();
                return p.gather(v, Index::list(std::move(rows)));
              };
              a = reads(a);
              b = reads(b);
            }
            return p.add(op, {a, b});
          };
          Program probe(DType::F64);
          if (!build(probe, false)) continue;
          for (const bool gathers : {false, true}) {
            expect_gradients(left.text() + " times " + right.text(),
                             [&](Program& p) { build(p, gathers).value(); });
          }
        }
      }
    }
  }
}

TEST(OpGradients, GatherForms) {
  const std::vector<Index> forms = {Index::slice(2, 5),
                                    Index::slice(0, 0),
                                    Index::slice(0, 9),
                                    Index::stride(1, 3, 3),
                                    Index::repeat(9, 3),
                                    Index::repeat(4, 2),
                                    Index::repeat(1, 6),
                                    Index::interleave(9, 2),
                                    Index::interleave(1, 5),
                                    Index::interleave(9, 1),
                                    Index::list({8, 0, 0, 3, 8}),
                                    Index::list({}),
                                    Index::list({8, 7, 6, 5, 4, 3, 2, 1, 0})};
  for (const Index& first : forms) {
    for (const Index& second : forms) {
      expect_gradients("two gathers", [&](Program& p) {
        const ValueId x = p.transform(random_fact(p, 9, Shape::column(2)),
                                      {.id = Transformation::Tanh, .target = {}});
        p.add(GatherOp{first}, {x}).value();
        p.add(GatherOp{second}, {x}).value();
      });
    }
  }
}

// Rows of infinite derivatives pass nothing on where they are not read.
TEST(OpGradients, RowsWithoutGradientPassNothingOn) {
  for (const Transformation id :
       {Transformation::Sqrt, Transformation::Log, Transformation::Inverse}) {
    expect_gradients("of 0", [&](Program& p) {
      const ValueId x = p.fact({0, 4}, 2, Shape());
      const ValueId y = p.transform(x, {.id = id, .target = {}});
      p.gather(y, Index::slice(1, 1));
    });
  }
}

TEST(OpGradients, TiesGoToTheFirstMember) {
  for (const Combination combination :
       {Combination::Max, Combination::Min, Combination::ElMax, Combination::ElMin}) {
    expect_gradients("equal sums", [&](Program& p) {
      p.segment(p.fact({1, 2, 2, 1, 1.5, 1.5, 3, 3}, 4, Shape::column(2)),
                Segments::ragged({0, 3, 4}), combination);
    });
  }
}

}  // namespace
}  // namespace vecc::test
