// What docs/non-finite.md promises: NaN and infinity stand where the reference has them, whatever
// runs the graph and whatever the optimizer did to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "optimizer/compare/compare_programs.h"
#include "tests/properties/graph_checks.h"
#include "tests/reference/program_gradient_check.h"
#include "tests/support/random_graph.h"
#include "vecc/backend.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kSeeds = 400;

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); });
}

// A random graph with other constants and functions: those at which functions have their poles. But
// for 1 / 0, whose sign is that of the zero.
NeuronGraph graph_with_poles(std::uint64_t seed) {
  constexpr double kConstants[] = {0, -0.5, -1, 1, 2, 0.5};
  constexpr Transformation kFunctions[] = {Transformation::Log, Transformation::Sqrt,
                                           Transformation::Exp};
  NeuronGraph graph = random_graph(random_options(seed)).graph;
  std::mt19937_64 draw(seed);
  std::vector<double> values = graph.values.take().doubles();
  for (double& value : values) {
    if (draw() % 4 == 0) value = kConstants[draw() % std::size(kConstants)];
  }
  graph.values.append(std::span<const double>(values));
  for (NeuronFunction& function : graph.functions) {
    const TransformationInfo& now = info(function.transformation.id);
    const bool keeps_shapes = now.domain == FunctionDomain::Elementwise &&
                              now.parameters == FunctionParameters::None &&
                              info(function.combination).single != CombinationSingle::One;
    const bool is_inverse = function.transformation.id == Transformation::Inverse;
    if ((draw() % 3 != 0 && !is_inverse) || !keeps_shapes) continue;
    function.transformation = {.id = kFunctions[draw() % std::size(kFunctions)], .target = {}};
  }
  return graph;
}

Program program_of(const NeuronGraph& graph) {
  VectorizeOptions options;
  options.dtype = DType::F64;
  return vectorize(graph, options).value().program;
}

std::vector<OptimizeOptions> ways_to_optimize() {
  std::vector<OptimizeOptions> ways;
  for (const std::uint32_t level : {0, 1, 2}) {
    ways.emplace_back().level = level;
  }
  for (const PassInfo& pass : passes()) {
    ways.emplace_back().passes = std::vector{std::string(pass.name)};
  }
  return ways;
}

std::string name_of(const OptimizeOptions& options) {
  return options.passes ? options.passes->front() : "-O" + std::to_string(options.level);
}

TEST(NonFinite, BackendsHaveThemWhereTheReferenceHas) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const bool compiled = seed % 50 == 5;  // a compiler takes a second for one of them
    EXPECT_EQ(check_agreement_in_double(graph_with_poles(seed), compiled), "") << "seed " << seed;
  }
}

TEST(NonFinite, OutputsAreTheSameAtEveryLevel) {
  opt::CompareOptions outputs;
  outputs.gradients = false;
  outputs.draws = 1;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Program before = program_of(graph_with_poles(seed));
    for (const OptimizeOptions& way : ways_to_optimize()) {
      const Program after = optimize(before, way).value();
      EXPECT_EQ(opt::compare_programs(before, after, outputs).value().difference, "")
          << "seed " << seed << ", " << name_of(way);
    }
  }
}

void expect_gradients(const NeuronGraph& graph, const ReferenceGradients& expected,
                      const std::vector<double>& ones, const Program& program) {
  const auto found = program_gradients(program, ones);
  for (ParameterIndex p = 0; p < found.size(); ++p) {
    const auto table = table_gradients(graph, expected, program.parameters()[p].name);
    ASSERT_EQ(found[p].size(), table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
      ASSERT_NEAR(found[p][i], table[i], 1e-9 * std::max(1.0, std::abs(table[i])));
    }
  }
}

TEST(NonFinite, FiniteGradientsAreTheSameAtEveryLevel) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const NeuronGraph graph = graph_with_poles(seed);
    const ReferenceValues values = evaluate_reference(graph).value();
    std::size_t elements = 0;
    for (const Sample& sample : graph.samples) elements += values.shapes[sample.output].size();
    const std::vector<double> ones(elements, 1.0);
    const ReferenceGradients expected = differentiate_reference(graph, values, ones).value();
    const bool finite =
        all_finite(values.values) && all_finite(expected.neurons) && all_finite(expected.weights);
    if (!finite) continue;
    ++compared;
    const Program program = program_of(graph);
    for (const std::uint32_t level : {0, 1, 2}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", -O" + std::to_string(level));
      OptimizeOptions options;
      options.level = level;
      expect_gradients(graph, expected, ones, optimize(program, options).value());
    }
  }
  EXPECT_GE(compared, kSeeds / 4);
}

TEST(NonFinite, ManyGraphsHaveThem) {
  std::uint64_t graphs = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    graphs += all_finite(evaluate_reference(graph_with_poles(seed)).value().values) ? 0 : 1;
  }
  EXPECT_GE(graphs, kSeeds / 3);
}

}  // namespace
}  // namespace vecc::test
