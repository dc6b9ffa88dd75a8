// Products with a matrix by type: which are grouped, and that they agree.
#include "backends/torch/grouped_linears.h"

#include <gtest/gtest.h>

#include <limits>

#include "backends/reference/program_interpreter.h"
#include "backends/torch/fused_reads.h"
#include "backends/torch/torch_backend.h"
#include "tests/torch/grouped_programs.h"
#include "tests/torch/torch_check.h"

namespace vecc::test {
namespace {

void check(const Program& program, ValueId linear, bool grouped = true) {
  EXPECT_EQ(libtorch::FusedReads(program, {}).linears().is_grouped(linear), grouped);
  expect_outputs_agree(program);
  expect_gradient_agreement(program);
}

// In both dtypes; `build` gives the linear, which is grouped or not.
template <class Build>
void check_both(const Build& build, bool grouped = true) {
  for (const DType dtype : {DType::F64, DType::F32}) {
    SCOPED_TRACE(text_of(dtype));
    Program program(dtype);
    const ValueId linear = build(program);
    if (program.sample_count() == 0) add_output(program, linear);
    check(program, linear, grouped);
  }
}

// Matrices by `types` times 40 columns by number.
ValueId add_product(Program& program, std::uint32_t type_count, Numbers types) {
  const auto rows = static_cast<std::uint32_t>(types.size());
  const ValueId matrices = random_weight(program, type_count, Shape(12, 16));
  const ValueId columns = random_weight(program, 40, Shape::column(16));
  const ValueId w = program.gather(matrices, Index::list(std::move(types)));
  const ValueId x = program.gather(columns, Index::list(random_rows(rows, 40, 5)));
  return program.linear(w, x);
}

TEST(GroupedLinears, OfManyTypesWithSkewedCounts) {
  check_both([](Program& p) { return add_product(p, 90, random_rows(900, 90, 7, 3)); });
}

TEST(GroupedLinears, OfOneType) {
  check_both([](Program& p) { return add_product(p, 1, Numbers(300, 0)); });
}

TEST(GroupedLinears, OfFewOfManyTypes) {
  check_both([](Program& p) {
    Numbers types = random_rows(600, 3, 7);
    for (std::uint32_t& type : types) type = 11 + 20 * type;
    return add_product(p, 70, types);
  });
}

TEST(GroupedLinears, OfOneRowATypeAndManyOfAnother) {
  check_both([](Program& p) {
    Numbers types = random_rows(2500, 2, 7, 3);
    for (std::uint32_t i = 0; i < 30; ++i) types[i * 80] = 2 + i;
    return add_product(p, 40, types);
  });
}

TEST(GroupedLinears, OnEitherSideTransposedOrNot) {
  for (const bool on_left : {true, false}) {
    for (const bool turn_matrices : {true, false}) {
      for (const std::uint32_t width : {1U, 3U}) {
        for (const bool turn_inputs : {true, false}) {
          SCOPED_TRACE(std::to_string(on_left) + std::to_string(turn_matrices) +
                       std::to_string(turn_inputs) + " " + std::to_string(width));
          Shape w = on_left ? Shape(24, 20) : Shape(20, 24);
          Shape x = on_left ? Shape(20, width) : Shape(width, 20);
          if (turn_matrices) w = w.transposed();
          if (turn_inputs) x = x.transposed();
          Program program(DType::F64);
          const ValueId matrices = random_weight(program, 9, w);
          const ValueId inputs = random_weight(program, 250, x);
          const ValueId read = program.gather(matrices, Index::list(random_rows(250, 9, 3, 3)));
          const ValueId linear =
              on_left ? program.linear(read, inputs, {turn_matrices, turn_inputs, {}, {}})
                      : program.linear(inputs, read, {turn_inputs, turn_matrices, {}, {}});
          add_output(program, linear);
          check(program, linear);
        }
      }
    }
  }
}

TEST(GroupedLinears, OfLiftedOperands) {
  using Kind = Lift::Kind;
  for (const Lift& of_matrices : {Lift{Kind::Repeat, 2}, Lift{Kind::Interleave, 2}}) {
    for (const Lift& of_inputs :
         {Lift{Kind::Repeat, 4}, Lift{Kind::Interleave, 4}, Lift{Kind::None, 1}}) {
      check_both([&](Program& p) {
        const ValueId matrices = random_weight(p, 5, Shape(24, 20));
        const ValueId inputs = random_weight(p, 400 / of_inputs.times, Shape::column(20));
        const ValueId w = p.gather(matrices, Index::list(random_rows(200, 5, 3)));
        const ValueId x = p.gather(
            inputs, Index::list(random_rows(400 / of_inputs.times, 400 / of_inputs.times, 4)));
        return p.linear(w, x, {false, false, of_matrices, of_inputs});
      });
    }
  }
}

TEST(GroupedLinears, OfMatricesGatheredInARegularForm) {
  for (const Index& index : {Index::repeat(4, 100), Index::interleave(4, 100)}) {
    check_both([&](Program& p) {
      const ValueId w = p.gather(random_weight(p, 4, Shape(12, 16)), index);
      return p.linear(w, random_weight(p, 400, Shape::column(16)));
    });
  }
}

TEST(GroupedLinears, InputsThatOthersReadStay) {
  check_both([](Program& p) {
    const ValueId matrices = random_weight(p, 5, Shape(12, 16));
    const ValueId columns = random_weight(p, 40, Shape::column(16));
    const ValueId w = p.gather(matrices, Index::list(random_rows(400, 5, 3)));
    const ValueId x = p.gather(columns, Index::list(random_rows(400, 40, 4)));
    const ValueId linear = p.linear(w, x);
    add_output(p, linear);
    add_output(p, p.transform(x, {.id = Transformation::Tanh, .target = {}}));
    EXPECT_FALSE(libtorch::FusedReads(p, {}).is_skipped(x));
    EXPECT_TRUE(libtorch::FusedReads(p, {}).is_skipped(w));
    return linear;
  });
}

TEST(GroupedLinears, OfMatricesThatAreReadInOtherWaysToo) {
  check_both([](Program& p) {
    const ValueId both = random_weight(p, 400, Shape(16, 16));
    const ValueId w = p.gather(both, Index::list(random_rows(400, 3, 3)));
    const ValueId columns =
        p.transform(both, {.id = Transformation::Slice, .target = {}}, {0, 16, 2, 3});
    return p.linear(w, columns);
  });
}

// A sum, a gather and another product find the rows where the product left them.
TEST(GroupedLinears, ResultsStayInBatchesForReadersByNumber) {
  const auto check_reader = [](const auto& add_reader, bool stays) {
    check_both([&](Program& p) {
      const ValueId linear = add_product(p, 20, random_rows(600, 20, 7, 3));
      add_output(p, add_reader(p, linear));
      EXPECT_EQ(libtorch::FusedReads(p, {}).stays_in_batches(linear), stays);
      return linear;
    });
  };
  check_reader(
      [](Program& p, ValueId y) {
        const ValueId read = p.gather(y, Index::list(random_rows(900, 600, 9)));
        return p.segment(read, Segments::ragged({0, 5, 5, 300, 900}), Combination::Avg);
      },
      true);
  check_reader(
      [](Program& p, ValueId y) {
        const ValueId factors = random_fact(p, 600, Shape(), 4);
        return p.segment(p.linear(factors, y), Segments::ragged({0, 5, 5, 300, 600}),
                         Combination::Sum);
      },
      true);
  check_reader([](Program& p, ValueId y) { return p.gather(y, Index::list({3, 3, 1})); }, true);
  check_reader(
      [](Program& p, ValueId y) {
        const ValueId matrices = random_weight(p, 3, Shape(12, 12));
        return p.linear(p.gather(matrices, Index::list(random_rows(600, 3, 8))), y);
      },
      true);
  check_reader([](Program& p, ValueId y) { return p.gather(y, Index::slice(2, 5)); }, false);
  check_reader(
      [](Program& p, ValueId y) {
        const ValueId again = p.gather(y, Index::list(random_rows(600, 600, 9)));
        return p.map(*parse_expr("sum($0, $1)", "test"), std::vector{y, again});
      },
      false);
}

// What stands in one type's rows and matrices reaches no other type: padding is dropped.
TEST(GroupedLinears, InfinityAndNaNStayWithTheirRows) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    Program program(DType::F64);
    std::vector<double> matrices = random_values(6 * 192, 1);
    std::vector<double> inputs = random_values(400 * 16, 2);
    matrices[2 * 192 + 5] = value;
    inputs[399 * 16 + 3] = value;
    const auto learn = [&](std::uint32_t rows, Shape shape, std::vector<double> values) {
      const std::string name = shape.text();
      return program.weight(
          *program.add_parameter({name, rows, shape, SharedNumbers::of(std::move(values))}));
    };
    const ValueId w = learn(6, Shape(12, 16), matrices);
    const ValueId x = learn(400, Shape::column(16), inputs);
    Numbers types = random_rows(400, 6, 3);
    types.back() = 4;
    const ValueId linear = program.linear(program.gather(w, Index::list(types)), x);
    add_output(program, linear);
    check(program, linear);
  }
}

TEST(GroupedLinears, NotIfAnotherOpReadsTheMatrices) {
  check_both(
      [](Program& p) {
        const ValueId matrices = random_weight(p, 5, Shape(12, 16));
        const ValueId w = p.gather(matrices, Index::list(random_rows(400, 5, 3)));
        const ValueId linear = p.linear(w, random_weight(p, 400, Shape::column(16)));
        add_output(p, linear);
        add_output(p, w);
        return linear;
      },
      false);
}

TEST(GroupedLinears, NotWhereItGainsNothing) {
  // Few rows; every row another matrix; vectors; scalars.
  check_both([](Program& p) { return add_product(p, 3, random_rows(30, 3, 7)); }, false);
  check_both(
      [](Program& p) {
        Numbers types(300);
        for (std::uint32_t i = 0; i < 300; ++i) types[i] = 299 - i;
        return add_product(p, 300, types);
      },
      false);
  for (const Shape& shape : {Shape::row(16), Shape()}) {
    check_both(
        [&](Program& p) {
          const ValueId w =
              p.gather(random_weight(p, 3, shape), Index::list(random_rows(4000, 3, 3)));
          return p.linear(w, random_weight(p, 4000, Shape::column(16)));
        },
        false);
  }
}

TEST(GroupedLinears, NotIfValuesAreKept) {
  Program program;
  const ValueId linear = add_product(program, 2, random_rows(600, 2, 7));
  EXPECT_TRUE(libtorch::FusedReads(program, {}).linears().is_grouped(linear));
  EXPECT_FALSE(libtorch::FusedReads(program, {.fuse = false}).linears().is_grouped(linear));
}

// Its only reader finds the rows in the batches; the host would not.
TEST(GroupedLinears, KeptRowsAreInTheirOrder) {
  Program program(DType::F64);
  const ValueId linear = add_product(program, 2, random_rows(600, 2, 7));
  add_output(program, program.gather(linear, Index::list(random_rows(50, 600, 8))));
  const ValueId kept[] = {linear};
  ASSERT_TRUE(libtorch::FusedReads(program, {}).stays_in_batches(linear));
  EXPECT_FALSE(libtorch::FusedReads(program, {.kept = kept}).stays_in_batches(linear));
  ExecutionOptions options;
  options.device = test_device();
  options.kept = {linear};
  std::vector<std::vector<double>> values;
  for (const Backend* backend : {&libtorch::torch_backend(), &reference::interpreter_backend()}) {
    if (backend == &reference::interpreter_backend()) options.device = {};
    const auto executable = backend->compile(program, options);
    ASSERT_TRUE(executable) << executable.error().text();
    ASSERT_TRUE((*executable)->run());
    const auto value = (*executable)->read(linear);
    ASSERT_TRUE(value) << value.error().text();
    values.push_back(*value);
  }
  for (std::size_t i = 0; i < values[1].size(); ++i) {
    ASSERT_TRUE(agree(values[0][i], values[1][i], 1e-12)) << "element " << i;
  }
}

TEST(GroupingGain, CountsMatricesRowsAndLaunches) {
  libtorch::GroupedLinearSize size{80483, 4096, 64, 64, {474, 25, 90000}, false};
  EXPECT_GT(libtorch::grouping_gain(size), 0);
  size.cuda = true;
  EXPECT_GT(libtorch::grouping_gain(size), 0);
  size = {2000, 4096, 64, 64, {474, 25, 2200}, false};
  EXPECT_GT(libtorch::grouping_gain(size), 0);
  size.cuda = true;  // the launches take longer than writing the matrices
  EXPECT_LT(libtorch::grouping_gain(size), 0);
  size = {80483, 64, 64, 1, {474, 25, 90000}, false};
  EXPECT_LT(libtorch::grouping_gain(size), 0);
}

// A matrix a row would be 10.5 GB: forward and backward do with 1 GB.
TEST(GroupedLinears, NoMatrixIsMadeForARow) {
  if (test_device().kind != Device::Kind::Cpu) GTEST_SKIP() << "limits the CPU's memory";
  Program program(DType::F64);
  const ValueId matrices = random_weight(program, 7, Shape(256, 256));
  const ValueId columns = random_weight(program, 100, Shape::column(256));
  const ValueId w = program.gather(matrices, Index::list(random_rows(20000, 7, 3)));
  const ValueId x = program.gather(columns, Index::list(random_rows(20000, 100, 4)));
  const ValueId sums =
      program.segment(program.linear(w, x), Segments::ragged({0, 9000, 20000}), Combination::Sum);
  add_output(program, sums);
  const auto plain = compile_torch_gradients(program, TorchReduce::Auto, /*keep_values=*/true);
  const auto grouped = compile_torch_gradients(program);
  ASSERT_NE(plain, nullptr);
  ASSERT_NE(grouped, nullptr);
  const AddressSpaceLimit limit(std::uint64_t{1} << 30);
  EXPECT_FALSE(plain->run());
  const auto run = grouped->run();
  ASSERT_TRUE(run) << run.error().text();
  const auto back = grouped->differentiate(std::vector<double>(512, 1.0));
  EXPECT_TRUE(back) << back.error().text();
}

}  // namespace
}  // namespace vecc::test
