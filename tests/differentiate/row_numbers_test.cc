// Gradients through indices that are values: by tables, and by the rows that were taken.
#include <gtest/gtest.h>

#include "tests/differentiate/finite_differences.h"
#include "tests/differentiate/gradient_case.h"
#include "tests/reference/interpreter_check.h"
#include "vecc/differentiate.h"
#include "vecc/program_text.h"
#include "vecc/train_step.h"

namespace vecc::test {
namespace {

ValueId some_rows(Program& p, std::uint32_t rows, double first) {
  std::vector<double> values(rows * std::size_t{2});
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + 0.3 * static_cast<double>(i);
  return p.fact(std::move(values), rows, Shape::column(2));
}

ValueId drawn(Program& p, std::uint32_t rows, std::uint32_t bound) {
  return add(p, DrawOp{rows, bound, 5, 2}, {p.unit_fact(1)});
}

TEST(RowNumberGradients, AreThoseOfTheInterpreter) {
  expect_gradients("take", [](Program& p) {
    add(p, TakeOp{}, {some_rows(p, 4, 1), drawn(p, 7, 4)});
  });
  expect_gradients("sum_equal", [](Program& p) {
    add(p, SumEqualOp{}, {some_rows(p, 6, 1), drawn(p, 6, 4)});
  });
  expect_gradients("scatter_sum", [](Program& p) {
    add(p, ScatterSumOp{4}, {some_rows(p, 6, 1), drawn(p, 6, 4)});
  });
  // Row numbers that are made of what learns get nothing.
  expect_gradients("numbers", [](Program& p) {
    const ValueId numbers = p.fact({2, 0, 2}, 3, Shape());
    add(p, TakeOp{}, {some_rows(p, 3, 1), numbers});
  });
  expect_gradients("taken twice, and read", [](Program& p) {
    const ValueId table = some_rows(p, 4, 1);
    const ValueId operands[] = {add(p, TakeOp{}, {table, drawn(p, 4, 4)}), table};
    const ValueId product = p.map(parse_expr("elproduct($0, $1, $1)", "").value(), operands);
    add(p, TakeOp{}, {product, drawn(p, 9, 4)});
  });
}

TEST(RowNumberGradients, AreThoseOfDifferences) {
  const Program program = parse_program(R"(vecc program 1 f64 samples 4
parameter "w" [4, 2x1] = {0.3, 0.5, -0.7, 0.9, 1.1, -1.3, 1.5, 1.7}
%0 = weight "w" : f64[4, 2x1]
%1 = fact {5} : f64[1, 1]
%2 = draw %1 < 4 seed 3 stream 1 : f64[6, 1]
%3 = draw %1 < 3 seed 3 stream 2 : f64[6, 1]
%4 = take %0, %2 : f64[6, 2x1]
%5 = transform %4 tanh : f64[6, 2x1]
%6 = sum_equal %5, %3 : f64[6, 2x1]
%7 = map elproduct($0, square($1)) %4, %6 : f64[6, 2x1]
%8 = scatter_sum %7, %2 : f64[4, 2x1]
%9 = map elproduct($0, $1) %8, %0 : f64[4, 2x1]
%10 = output %9 [0:4] : f64[4, 2x1]
)",
                                        "p.vecc")
                              .value();
  const DifferenceCount found = compare_with_differences(program);
  EXPECT_EQ(found.compared, 8u);
  EXPECT_EQ(found.disagreement, "");
}

// A weight of 5 rows, of which a step takes 4 and 3, and their products' sum over each dimension.
struct TakenWeight {
  Program program{DType::F64};
  ParameterIndex parameter = 0;
  ValueId loss = 0;

  TakenWeight() {
    auto values =
        SharedNumbers::of(std::vector<double>{0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, 0.8, -0.9, 1});
    parameter = program.add_parameter({"w", 5, Shape::column(2), std::move(values)}).value();
    const ValueId step = add(program, StateOp{"step", 1, Shape(), 0}, {});
    const ValueId first = add(program, DrawOp{4, 5, 3, 2}, {step});
    const ValueId second = add(program, DrawOp{4, 3, 3, 4}, {step});
    const ValueId weight = program.weight(parameter);
    const ValueId again = program.weight(parameter);
    const ValueId rows[] = {add(program, TakeOp{}, {weight, first}),
                            add(program, TakeOp{}, {again, second})};
    loss = program.map(parse_expr("elproduct($0, square($1))", "").value(), rows);
    const ValueId one[] = {step};
    add(program, UpdateOp{}, {step, program.map(parse_expr("sum($0, 1)", "").value(), one)});
  }
  [[nodiscard]] std::vector<Seed> seeds() {
    return {{loss, program.fact(std::vector<double>(8, 0.5), 4, Shape::column(2))}};
  }
};

TEST(RowNumberGradients, OfAWeightThatIsOnlyTakenAreOfTheRowsThatAre) {
  TakenWeight of;
  const ParameterIndex wanted[] = {of.parameter};
  const std::vector<Seed> seeds = of.seeds();
  const auto whole = append_gradients(of.program, seeds, wanted).value();
  const auto before = static_cast<ValueId>(of.program.ops().size());
  const auto rows = append_row_gradients(of.program, seeds, wanted).value();
  ASSERT_TRUE(whole[0] && rows[0] && rows[0]->rows);
  for (ValueId id = before; id < of.program.ops().size(); ++id) {
    EXPECT_NE(of.program.op(id).kind(), OpKind::ScatterSum) << "a gradient as large as the table";
  }
  EXPECT_EQ(of.program.op(rows[0]->gradient).rows, 8u);
  const auto executable = compile_or_throw(of.program);
  ASSERT_TRUE(executable->run());
  const auto table = executable->read(*whole[0]).value();
  const auto found = executable->read(rows[0]->gradient).value();
  const auto numbers = executable->read(*rows[0]->rows).value();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto row = static_cast<std::size_t>(numbers[i]);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(found[2 * i + k], table[2 * row + k]) << i;
  }
}

TEST(RowNumberGradients, OfAWeightThatIsReadOtherwiseAreWhole) {
  TakenWeight of;
  const ValueId weight = of.program.weight(of.parameter);
  std::vector<Seed> seeds = of.seeds();
  seeds.push_back({weight, of.program.fact(std::vector<double>(10, 1), 5, Shape::column(2))});
  const ParameterIndex wanted[] = {of.parameter};
  const auto rows = append_row_gradients(of.program, seeds, wanted).value();
  ASSERT_TRUE(rows[0]);
  EXPECT_FALSE(rows[0]->rows);
  EXPECT_EQ(of.program.op(rows[0]->gradient).rows, 5u);
}

// What a step of these optimizers leaves is, but for rows that lazy Adam does not touch, that of a
// step with the whole gradient: rows without a gradient stay.
TEST(RowNumberGradients, StepsOfRowsAreThoseOfTheWholeTable) {
  for (const Optimizer optimizer : {Optimizer::Sgd, Optimizer::Adagrad}) {
    const auto trained = [&](bool by_rows) {
      TakenWeight of;
      const ParameterIndex wanted[] = {of.parameter};
      const std::vector<Seed> seeds = of.seeds();
      ParameterGradient gradient{of.parameter, 0};
      if (by_rows) {
        const RowGradient rows = *append_row_gradients(of.program, seeds, wanted).value()[0];
        gradient.gradient = rows.gradient;
        gradient.rows = rows.rows;
      } else {
        gradient.gradient = *append_gradients(of.program, seeds, wanted).value()[0];
      }
      OptimizerOptions options;
      options.optimizer = optimizer;
      const StepOps ops = append_step(of.program, {&gradient, 1}, options).value();
      EXPECT_TRUE(verify(of.program));
      const auto executable = compile_or_throw(of.program);
      for (std::uint64_t step = 1; step <= 20; ++step) {
        for (const ParameterValues& set : step_values(ops, step, 0.1)) {
          EXPECT_TRUE(executable->set_parameter(set.parameter, set.values));
        }
        const auto done = executable->run();
        EXPECT_TRUE(done) << done.error().text();
      }
      return executable->parameter(of.parameter).value();
    };
    EXPECT_THAT(trained(true), are_near(trained(false))) << text_of(optimizer);
  }
}

// Lazy Adam by rows is that of a list of the same rows.
TEST(RowNumberGradients, ALazyStepTouchesTheRowsThatAreTaken) {
  const std::vector<std::uint32_t> list{3, 1};
  const auto trained = [&](bool by_value) {
    Program p(DType::F64);
    auto values = SharedNumbers::of(std::vector<double>{1, 2, 3, 4});
    const ParameterIndex w = p.add_parameter({"w", 4, Shape(), std::move(values)}).value();
    ParameterGradient gradient{w, 0};
    if (by_value) {
      const ValueId numbers = p.fact({3, 1, 3}, 3, Shape());
      gradient.gradient = add(p, SumEqualOp{}, {p.fact({0.5, 2, 0.25}, 3, Shape()), numbers});
      gradient.rows = numbers;
    } else {
      gradient.gradient = p.fact({7, 2, 7, 0.75}, 4, Shape());
      gradient.touched = Index::list(list);
    }
    OptimizerOptions options;
    options.optimizer = Optimizer::LazyAdam;
    const StepOps ops = append_step(p, {&gradient, 1}, options).value();
    const auto executable = compile_or_throw(p);
    for (std::uint64_t step = 1; step <= 5; ++step) {
      for (const ParameterValues& set : step_values(ops, step, 0.1)) {
        EXPECT_TRUE(executable->set_parameter(set.parameter, set.values));
      }
      EXPECT_TRUE(executable->run());
    }
    return executable->parameter(w).value();
  };
  EXPECT_EQ(trained(true), trained(false));
}

// Where rows without a gradient move, a step of some rows is one of another optimizer.
TEST(RowNumberGradients, bad_steps_of_rows_of_optimizers_that_move_all) {
  const auto error_of = [](OptimizerOptions options) {
    Program p(DType::F64);
    const ParameterIndex w = p.add_parameter({"w", 4, Shape(), nullptr}).value();
    ParameterGradient gradient{w, p.unit_fact(2)};
    gradient.rows = p.fact({0, 1}, 2, Shape());
    const auto made = append_step(p, {&gradient, 1}, options);
    return made ? "" : made.error().text();
  };
  const auto refusal = [](const std::string& optimizer) {
    return "parameter \"w\": error: has a gradient of rows that a value names, but a step of " +
           optimizer +
           " with these options moves rows without a gradient, too: expected the gradient of all "
           "rows, lazy-adam, or sgd or adagrad without momentum and weight decay [E050]";
  };
  for (const Optimizer each : {Optimizer::Adam, Optimizer::AdamW, Optimizer::RmsProp}) {
    EXPECT_EQ(error_of({.optimizer = each}), refusal(std::string(text_of(each))));
  }
  EXPECT_EQ(error_of({.optimizer = Optimizer::Sgd, .momentum = 0.9}), refusal("sgd"));
  EXPECT_EQ(error_of({.optimizer = Optimizer::Sgd, .weight_decay = 0.1}), refusal("sgd"));
  EXPECT_EQ(error_of({.optimizer = Optimizer::Adagrad, .weight_decay = 0.1}), refusal("adagrad"));
  EXPECT_EQ(error_of({.optimizer = Optimizer::Sgd, .momentum = 0}), "");
  EXPECT_EQ(error_of({.optimizer = Optimizer::Adagrad}), "");
  EXPECT_EQ(error_of({.optimizer = Optimizer::LazyAdam, .weight_decay = 0.1}), "");
}

TEST(RowNumberGradients, bad_numbers_of_rows_are_refused) {
  const auto error_of = [](std::uint32_t rows, Shape shape) {
    Program p(DType::F32);
    const ParameterIndex w = p.add_parameter({"w", rows, Shape(), nullptr}).value();
    ParameterGradient gradient{w, p.unit_fact(2)};
    gradient.rows = p.fact(std::vector<double>(2 * shape.size()), 2, shape);
    const auto made = append_step(p, {&gradient, 1}, {.optimizer = Optimizer::Sgd});
    return made ? "" : made.error().text();
  };
  EXPECT_EQ(error_of(1 << 24, Shape()), "");
  EXPECT_EQ(error_of(4, Shape::column(2)),
            "parameter \"w\": error: has rows that are numbered by values of shape 2x1, expected "
            "scalars [E050]");
  EXPECT_EQ(
      error_of((1 << 24) + 1, Shape()),
      "parameter \"w\": error: has 16777217 rows, which f32 does not number: expected at most "
      "16777216 [E050]");
  Program p(DType::F64);
  const ParameterIndex w = p.add_parameter({"w", 1, Shape(), nullptr}).value();
  const ParameterGradient beyond{w, p.unit_fact(1), std::nullopt, 7};
  EXPECT_THROW(static_cast<void>(append_step(p, {&beyond, 1}, {})), InternalError);
}

TEST(RowNumberGradients, bad_steps_of_rows_are_refused) {
  const auto error_of = [](bool limited, bool listed, std::uint32_t rows) {
    Program p(DType::F64);
    const ParameterIndex w = p.add_parameter({"w", 4, Shape(), nullptr}).value();
    ParameterGradient gradient{w, p.unit_fact(rows)};
    gradient.rows = p.fact({0, 1}, 2, Shape());
    if (listed) gradient.touched = Index::list({0, 1});
    OptimizerOptions options;
    options.optimizer = Optimizer::Sgd;
    if (limited) options.clip_norm = 1;
    const auto made = append_step(p, {&gradient, 1}, options);
    return made ? "" : made.error().text();
  };
  EXPECT_EQ(error_of(false, false, 2), "");
  EXPECT_EQ(error_of(true, false, 2),
            "parameter \"w\": error: has a gradient of rows that a value names, which no limit is "
            "for [E050]");
  EXPECT_EQ(error_of(false, true, 2),
            "parameter \"w\": error: is touched in rows of a list and of a value [E050]");
  EXPECT_EQ(error_of(false, false, 4),
            "parameter \"w\": error: has a gradient of [4, 1], expected [2, 1] [E050]");
}

}  // namespace
}  // namespace vecc::test
