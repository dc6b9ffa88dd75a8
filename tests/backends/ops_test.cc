// Ops that move and multiply rows.
#include <gtest/gtest.h>

#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

ParameterIndex random_parameter(Program& program, const std::string& name, std::uint32_t rows,
                                Shape shape) {
  auto values = SharedNumbers::of(random_values(rows * shape.size(), 11));
  auto parameter = program.add_parameter({name, rows, shape, values});
  EXPECT_TRUE(parameter);
  return *parameter;
}

TEST(Ops, FactsWeightsAndOutputs) {
  expect_agreement("facts", [](Program& p) {
    p.set_sample_count(4);
    const ValueId w = p.weight(random_parameter(p, "w", 4, Shape(2, 3)));
    p.unit_fact(7);
    p.unit_fact(0);
    random_fact(p, 3, Shape(2, 2), 1);
    p.output(w, Index::list({2, 0, 3, 1}));
  });
}

TEST(Ops, OutputsAreInSampleOrder) {
  Program program(DType::F64);
  program.set_sample_count(3);
  const ValueId a = program.fact({1, 2, 3, 4}, 2, Shape::column(2));
  const ValueId b = program.fact({7}, 1, Shape());
  program.output(a, Index::list({2, 0}));
  program.output(b, Index::list({1}));
  const auto executable = compile_tested(program, /*keep_values=*/false);
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  const auto outputs = executable->outputs();
  ASSERT_TRUE(outputs);
  ASSERT_EQ(outputs->size(), 3u);
  EXPECT_EQ((*outputs)[0].value, (std::vector<double>{3, 4}));
  EXPECT_EQ((*outputs)[1].value, (std::vector<double>{7}));
  EXPECT_EQ((*outputs)[1].shape, Shape());
  EXPECT_EQ((*outputs)[2].value, (std::vector<double>{1, 2}));
  EXPECT_EQ((*outputs)[2].shape, Shape::column(2));
}

// A timed run is a run: it updates states, and what it computed can be read.
TEST(Ops, TimedRun) {
  Program program(DType::F64);
  program.set_sample_count(1);
  const ValueId state = *program.add(StateOp{"s", 1, Shape::scalar(), 5}, {});
  const ValueId one = program.fact({1}, 1, Shape::scalar());
  const ValueId operands[] = {state, one};
  const ValueId sum = program.map(*parse_expr("sum($0, $1)", "test"), operands);
  program.output(sum, Index::slice(0, 1));
  ASSERT_TRUE(program.add(UpdateOp{}, {state, sum}));
  const auto executable = compile_tested(program);
  ASSERT_NE(executable, nullptr);
  for (const double expected : {6.0, 7.0, 8.0, 9.0}) {
    const bool is_timed = expected != 7;
    if (is_timed) {
      const auto seconds = executable->timed_run();
      ASSERT_TRUE(seconds) << seconds.error().text();
      EXPECT_GT(*seconds, 0);
      EXPECT_LT(*seconds, 60);
    } else {
      ASSERT_TRUE(executable->run());
    }
    EXPECT_EQ((*executable->outputs())[0].value, std::vector<double>{expected});
    EXPECT_EQ(*executable->state("s"), std::vector<double>{expected});
  }
}

TEST(Ops, GatherForms) {
  const std::vector<std::pair<std::string, Index>> forms = {
      {"slice", Index::slice(2, 5)},
      {"nothing", Index::slice(0, 0)},
      {"all", Index::slice(0, 9)},
      {"stride", Index::stride(1, 3, 3)},
      {"repeat", Index::repeat(9, 3)},
      {"repeat the first 4", Index::repeat(4, 2)},
      {"repeat one row", Index::repeat(1, 6)},
      {"interleave", Index::interleave(9, 2)},
      {"interleave one row", Index::interleave(1, 5)},
      {"list", Index::list({8, 0, 0, 3, 8})},
      {"empty list", Index::list({})}};
  for (const auto& form : forms) {
    const Index& index = form.second;  // clang 14 captures no structured bindings
    for (const Shape shape : {Shape(), Shape(2, 3)}) {
      expect_agreement(form.first + " of " + shape.text(), [&](Program& p) {
        const ValueId a = p.gather(random_fact(p, 9, shape, 2), index);
        // Functions of a view.
        p.transform(a, {.id = Transformation::Tanh, .target = {}});
        p.transform(a, {.id = Transformation::Transp, .target = {}});
        if (index.size() > 0)
          p.segment(a, Segments::ragged({0, 1, index.size()}), Combination::Sum);
      });
    }
  }
}

TEST(Ops, Concat) {
  expect_agreement("concat", [](Program& p) {
    const ValueId a = random_fact(p, 3, Shape(2, 1), 1);
    const ValueId b = p.gather(a, Index::repeat(1, 4));
    const ValueId c = p.concat(std::vector{a, b, a});
    const ValueId d = p.concat(std::vector{c, b});
    const ValueId e = p.concat(std::vector{d, c, d});
    p.concat(std::vector{d, a});  // a second one that continues %d
    p.transform(e, {.id = Transformation::Square, .target = {}});
    p.transform(d, {.id = Transformation::Square, .target = {}});
  });
}

struct Factors {
  Shape left;
  Shape right;
};
const std::vector<Factors> kFactors = {{Shape(), Shape()},
                                       {Shape(), Shape::column(3)},
                                       {Shape(2, 3), Shape()},
                                       {Shape(2, 3), Shape::column(3)},
                                       {Shape::row(3), Shape(3, 2)},
                                       {Shape::row(3), Shape::column(3)},
                                       {Shape::column(2), Shape::row(3)},
                                       {Shape(2, 3), Shape(3, 4)},
                                       {Shape(1, 1), Shape(1, 1)}};

Shape transposed_if(bool transpose, Shape shape) {
  return transpose ? shape.transposed() : shape;
}

void add_linear(Program& p, const Factors& factors, std::uint32_t left_rows,
                std::uint32_t right_rows, const LinearOp& op) {
  const ValueId left =
      random_fact(p, left_rows, transposed_if(op.transpose_left, factors.left), 31);
  const ValueId right =
      random_fact(p, right_rows, transposed_if(op.transpose_right, factors.right), 32);
  p.linear(left, right, op);
}

TEST(Linear, ShapesAndTransposes) {
  for (const Factors& factors : kFactors) {
    expect_agreement(factors.left.text() + " times " + factors.right.text(), [&](Program& p) {
      for (const std::uint32_t rows : {0u, 1u, 5u}) {
        for (const bool left : {false, true}) {
          for (const bool right : {false, true}) {
            add_linear(p, factors, rows, rows, {left, right, {}, {}});
          }
        }
      }
    });
  }
}

TEST(Linear, Lifts) {
  using Kind = Lift::Kind;
  struct Case {
    std::uint32_t left_rows;
    std::uint32_t right_rows;
    Lift left;
    Lift right;
  };
  const std::vector<Case> cases = {
      {1, 6, {Kind::Repeat, 6}, {}},
      {1, 6, {Kind::Interleave, 6}, {}},
      {2, 6, {Kind::Repeat, 3}, {}},
      {2, 6, {Kind::Interleave, 3}, {}},
      {6, 1, {}, {Kind::Repeat, 6}},
      {6, 3, {}, {Kind::Repeat, 2}},
      {6, 3, {}, {Kind::Interleave, 2}},
      {6, 6, {Kind::Repeat, 1}, {Kind::Interleave, 1}},
      {2, 3, {Kind::Repeat, 3}, {Kind::Interleave, 2}},  // every left row meets every right row
      {2, 3, {Kind::Interleave, 3}, {Kind::Repeat, 2}},
      {2, 2, {Kind::Repeat, 3}, {Kind::Repeat, 3}},  // no grid: a copy
      {2, 3, {Kind::Repeat, 3}, {Kind::Repeat, 2}},
      {2, 3, {Kind::Interleave, 3}, {Kind::Interleave, 2}},
      {0, 0, {Kind::Repeat, 3}, {}}};
  for (const Factors& factors : kFactors) {
    expect_agreement(factors.left.text() + " times " + factors.right.text(), [&](Program& p) {
      for (const Case& c : cases) {
        add_linear(p, factors, c.left_rows, c.right_rows, {false, false, c.left, c.right});
        add_linear(p, factors, c.left_rows, c.right_rows, {true, true, c.left, c.right});
      }
    });
  }
}

// All products of a few matrices and columns, as part of a value: their rows may begin anywhere.
TEST(Linear, TableInAConcat) {
  for (const std::uint32_t length : {2u, 3u, 6u, 10u}) {
    expect_agreement("columns of " + std::to_string(length), [&](Program& p) {
      const Shape column = Shape::column(length);
      const ValueId x = p.transform(random_fact(p, 5, Shape::column(4), 1),
                                    {.id = Transformation::Tanh, .target = {}});
      LinearOp linear;
      linear.lift_left = {Lift::Kind::Repeat, 5};
      linear.lift_right = {Lift::Kind::Interleave, 2};
      const ValueId table = p.linear(random_fact(p, 2, Shape(length, 4), 2), x, linear);
      const ValueId parts[] = {random_fact(p, 1, column, 3), table, random_fact(p, 2, column, 4)};
      const ValueId all = p.concat(parts);
      p.transform(p.gather(all, Index::list({12, 3, 0, 7})),
                  {.id = Transformation::Relu, .target = {}});
    });
  }
}

// A weight that every row shares comes as a repeated row: no copy, one matrix product.
// What maps add to it comes from other rows.
TEST(Linear, OneNumberTimesGatheredRows) {
  expect_agreement("number", [](Program& p) {
    const Index rows = Index::list({4, 0, 2, 2, 1, 3});
    const Lift repeat{Lift::Kind::Repeat, 6};
    for (const Shape shape : {Shape::column(70), Shape::row(3), Shape::scalar()}) {
      const ValueId all = random_fact(p, 5, shape, 7);
      const ValueId number = random_fact(p, 1, Shape::scalar(), 8);
      const ValueId left = p.linear(number, p.gather(all, rows), {false, false, repeat, {}});
      const ValueId right = p.linear(p.gather(all, rows), number, {false, false, {}, repeat});
      const ValueId other = p.gather(all, Index::list({1, 1, 0, 4, 3, 2}));
      p.map(*parse_expr("sum($0, tanh($1))", "test"), std::vector{left, other});
      p.map(*parse_expr("elproduct($0, $1)", "test"), std::vector{other, right});
    }
  });
}

TEST(Linear, SharedByGather) {
  for (const Factors& factors : kFactors) {
    expect_agreement(factors.left.text() + " times " + factors.right.text(), [&](Program& p) {
      const ValueId w = p.gather(random_fact(p, 1, factors.left, 1), Index::repeat(1, 6));
      const ValueId v = p.gather(random_fact(p, 1, factors.right, 2), Index::repeat(1, 6));
      p.linear(w, random_fact(p, 6, factors.right, 3));
      p.linear(random_fact(p, 6, factors.left, 4), v);
      p.linear(w, v);
    });
  }
}

TEST(Map, NestedExpression) {
  const auto expr = parse_expr("elproduct(sum($0, $1, 0.5), tanh($2))", "test");
  ASSERT_TRUE(expr) << expr.error().text();
  expect_agreement("nested", [&](Program& p) {
    p.map(*expr, std::vector{random_fact(p, 5, Shape(2, 2), 1), random_fact(p, 1, Shape(2, 2), 2),
                             random_fact(p, 5, Shape(), 3)});
  });
  const auto slices = parse_expr("concat(slice[0:1, 0:]($0), atindex[2]($1), transp($1))", "test");
  ASSERT_TRUE(slices) << slices.error().text();
  expect_agreement("slices", [&](Program& p) {
    p.map(*slices,
          std::vector{random_fact(p, 5, Shape(2, 3), 1), random_fact(p, 5, Shape(2, 2), 2)});
  });
}

TEST(Map, MixedShapes) {
  const auto check = [](const std::string& text, const std::vector<Shape>& shapes) {
    const auto expr = parse_expr(text, "test");
    ASSERT_TRUE(expr) << expr.error().text();
    expect_agreement(text, [&](Program& p) {
      for (const bool first_broadcasts : {false, true}) {
        std::vector<ValueId> operands;
        for (std::uint32_t i = 0; i < shapes.size(); ++i) {
          operands.push_back(random_fact(p, first_broadcasts && i == 0 ? 1 : 4, shapes[i], 50 + i));
        }
        p.map(*expr, operands);
      }
    });
  };
  check("product($0, $1, $2)", {Shape(2, 3), Shape(3, 2), Shape::column(2)});
  check("product($0, $1, $2)", {Shape::row(3), Shape::column(3), Shape(2, 2)});
  check("crosssum($0, $1, $2)", {Shape::column(2), Shape(), Shape(2, 2)});
  check("cossim($0, $1)", {Shape::column(4), Shape::row(4)});
  check("concat($0, $1, $2)", {Shape(2, 2), Shape(), Shape::row(3)});
  check("concat[axis=0]($0, $1)", {Shape(2, 2), Shape(1, 2)});
  check("sum($0, $1, $2)", {Shape::column(3), Shape(), Shape::row(3)});
  check("avg($0, $1)", {Shape(), Shape(2, 2)});
  check("count($0, $1)", {Shape(), Shape(2, 2)});
}

TEST(Contract, Shapes) {
  struct Case {
    Shape weight;
    Shape x;
  };
  const std::vector<Case> cases = {{Shape(), Shape()},
                                   {Shape(), Shape(2, 3)},
                                   {Shape(2, 3), Shape()},
                                   {Shape(2, 3), Shape::column(3)},
                                   {Shape::row(3), Shape::column(3)},
                                   {Shape::column(2), Shape::row(3)},
                                   {Shape(2, 3), Shape(3, 4)}};
  const std::vector<std::pair<Index, std::uint32_t>> types = {
      {Index::list({3, 0, 3, 1, 1, 3}), 5},  // type 2 and 4 do not occur
      {Index::list({}), 2},
      {Index::slice(0, 6), 6},
      {Index::repeat(2, 40), 2}};
  for (const Case& c : cases) {
    expect_agreement(c.weight.text() + " and " + c.x.text(), [&](Program& p) {
      for (const auto& [index, count] : types) {
        const ValueId x = random_fact(p, index.size(), c.x, 1);
        const ValueId g = random_fact(p, index.size(), *times_shape(c.weight, c.x), 2);
        ASSERT_TRUE(p.add(ContractOp{index, count, c.weight}, {g, x}));
      }
    });
  }
}

}  // namespace
}  // namespace vecc::test
