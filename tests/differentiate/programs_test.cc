// Whole Programs: random ones, recursion, graphs of the data sets.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "tests/differentiate/gradient_case.h"
#include "tests/program/random_op.h"
#include "tests/program/recursive_levels.h"
#include "tests/support/random_graph.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

bool has_weight_values(const NeuronGraph& graph) {
  for (const WeightTable& table : graph.weight_tables) {
    if (!table.has_values) return false;
  }
  return !graph.weight_tables.empty();
}

TEST(ProgramGradients, OfDatasets) {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  std::size_t compared = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(source != nullptr ? source : ".") / "datasets")) {
    if (entry.path().extension() != ".pb") continue;
    const auto graph = read_graph(entry.path().string());
    ASSERT_TRUE(graph) << graph.error().text();
    if (!has_weight_values(*graph)) continue;
    EXPECT_EQ(gradient_difference(vectorized_program(*graph)), "") << entry.path();
    ++compared;
  }
  EXPECT_GE(compared, 4u);
}

TEST(ProgramGradients, OfRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = vectorized_program(random_graph(random_options(seed)).graph);
    EXPECT_EQ(gradient_difference(program, seed), "") << seed;
    EXPECT_EQ(gradient_difference(learn_all(program), seed), "") << seed << ", facts learned";
  }
}

// Full of ties.
TEST(ProgramGradients, OfExactRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomGraphOptions options = random_options(seed);
    options.exact = true;
    const Program program = vectorized_program(random_graph(options).graph);
    EXPECT_EQ(gradient_difference(learn_all(program), seed), "") << seed;
  }
}

// Every op, function and form with a derivative; numbers without poles.
TEST(ProgramGradients, OfRandomPrograms) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomSource random(seed);
    Program program(DType::F64);
    RandomOps ops(random, program);
    ops.add_fact();
    for (std::uint32_t i = random.below(20); i > 0; --i) {
      switch (random.below(7)) {
        case 0: ops.add_weight(); break;
        case 1: ops.add_concat(); break;
        case 2: ops.add_gather(); break;
        case 3: ops.add_linear(); break;
        case 4: ops.add_segment(); break;
        case 5: ops.add_transform(); break;
        case 6: ops.add_map(); break;
      }
    }
    program = learn_all(program);
    for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
      const Parameter& parameter = program.parameters()[p];
      std::vector<double> values(parameter.rows * parameter.shape.size());
      for (double& v : values) v = random.real(0.1, 1);
      program.set_parameter_values(p, SharedNumbers::of(values));
    }
    EXPECT_EQ(gradient_difference(program, seed), "") << seed << "\n" << text_of(program);
  }
}

Program recursion(std::uint32_t levels) {
  Program program(DType::F64);
  const ValueId all = program.fact({0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8}, 4, Shape::column(2));
  append_levels(program, all, levels);
  return learn_all(program);
}

TEST(ProgramGradients, OfARecursion) {
  for (const std::uint32_t levels : {1u, 2u, 3u, 40u, 500u}) {
    EXPECT_EQ(gradient_difference(recursion(levels)), "") << levels;
  }
}

// A level's rows, and those of the gradients that it adds, are moved once.
TEST(ProgramGradients, OfARecursionAreLinearInItsLevels) {
  const auto rows_moved = [](std::uint32_t levels) {
    const Program program = recursion(levels);
    const Program both =
        differentiate_outputs(program, random_output_gradients(program, 1)).program;
    std::uint64_t rows = 0;
    for (auto id = static_cast<ValueId>(program.ops().size()); id < both.ops().size(); ++id) {
      const Op& op = both.op(id);
      rows += op.rows;
      if (op.kind() != OpKind::Concat) continue;
      // The first operand is the buffer that the others are appended to.
      const bool grows = both.op(op.operands[0]).kind() == OpKind::Concat;
      if (grows) rows -= both.op(op.operands[0]).rows;
    }
    return rows;
  };
  EXPECT_LT(rows_moved(2000), 2.2 * static_cast<double>(rows_moved(1000)));
}

TEST(ProgramGradients, OfBranchingConcats) {
  Program program(DType::F64);
  const ValueId w = program.fact({0.5, 2}, 2, Shape());
  const ValueId one = program.fact({3}, 1, Shape());
  const ValueId a = program.concat(std::vector{one, w, one});
  const ValueId b = program.concat(std::vector{a, one, w, w});
  const ValueId c = program.concat(std::vector{a, w});
  const ValueId square = program.transform(a, {.id = Transformation::Square, .target = {}});
  const ValueId ends = program.gather(square, Index::stride(0, 3, 2));
  const ValueId product = program.linear(ends, w);
  const ValueId d = program.concat(std::vector{c, product});
  program.gather(d, Index::list({7, 1, 5, 4, 6, 0}));
  program.transform(b, {.id = Transformation::Tanh, .target = {}});
  program.transform(b, {.id = Transformation::Exp, .target = {}});
  EXPECT_EQ(gradient_difference(learn_all(program)), "");
}

}  // namespace
}  // namespace vecc::test
