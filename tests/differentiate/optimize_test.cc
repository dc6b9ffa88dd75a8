// The optimizer on Programs with their backward pass: outputs and gradients stay.
#include "vecc/optimize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/differentiate/gradient_case.h"
#include "tests/reference/interpreter_check.h"
#include "tests/support/random_graph.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

constexpr double kLossless = 1e-9;

// Every gradient is stored in a state of its parameter's name.
Program with_gradients(const Program& program) {
  Differentiated both = differentiate_outputs(program, random_output_gradients(program, 5));
  for (ParameterIndex p = 0; p < both.gradients.size(); ++p) {
    if (!both.gradients[p]) continue;
    const Parameter& parameter = program.parameters()[p];
    const ValueId state =
        add(both.program, StateOp{parameter.name, parameter.rows, parameter.shape, 0}, {});
    add(both.program, UpdateOp{}, {state, *both.gradients[p]});
  }
  return both.program;
}

struct Run {
  std::vector<double> outputs;
  std::map<std::string, std::vector<double>> stored;  // by state
};

Run run(const Program& program) {
  const auto executable = compile_or_throw(program);
  if (const auto done = executable->run(); !done) throw std::logic_error(done.error().text());
  Run result;
  for (const auto& output : executable->outputs().value()) {
    result.outputs.insert(result.outputs.end(), output.value.begin(), output.value.end());
  }
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    if (op.kind() != OpKind::Update) continue;
    const auto& state = std::get<StateOp>(program.op(op.operands[0]).attributes);
    result.stored[state.name] = executable->read(id).value();
  }
  return result;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(found[i])) continue;
    if (found[i] == expected[i]) continue;
    ASSERT_LE(std::abs(found[i] - expected[i]), kLossless * std::max(1.0, std::abs(expected[i])))
        << what << ", element " << i;
  }
}

OptimizeOptions options_of(std::uint32_t level) {
  OptimizeOptions options;
  options.level = level;
  return options;
}

void expect_lossless(const Program& forward, OptimizeOptions options) {
  const Program program = with_gradients(forward);
  options.verify_each = true;
  const auto optimized = optimize(program, options);
  ASSERT_TRUE(optimized) << optimized.error().text();
  const Run expected = run(program);
  const Run found = run(*optimized);
  expect_near(found.outputs, expected.outputs, "outputs");
  ASSERT_EQ(found.stored.size(), expected.stored.size());
  for (const auto& [name, gradient] : expected.stored) {
    expect_near(found.stored.at(name), gradient, "gradient of " + name);
  }
}

class OptimizedLevels : public testing::TestWithParam<std::uint32_t> {};

TEST_P(OptimizedLevels, OfDatasets) {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  const std::filesystem::path folder = std::filesystem::path(source ? source : ".") / "datasets";
  for (const char* name : {"attention", "functions-aggregations", "functions-combinations",
                           "functions-transformations", "mutagenesis", "xor"}) {
    SCOPED_TRACE(name);
    const auto graph = read_graph((folder / (std::string(name) + ".pb")).string());
    ASSERT_TRUE(graph) << graph.error().text();
    expect_lossless(vectorized_program(*graph), options_of(GetParam()));
  }
}

TEST_P(OptimizedLevels, OfRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    expect_lossless(vectorized_program(random_graph(random_options(seed)).graph),
                    options_of(GetParam()));
  }
}

// The forward pass was optimized before it was differentiated: lifts and regular gathers.
TEST_P(OptimizedLevels, OfOptimizedRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Program program = vectorized_program(random_graph(random_options(seed)).graph);
    program = optimize(std::move(program), options_of(GetParam())).value();
    EXPECT_EQ(gradient_difference(program, seed), "");
    expect_lossless(program, options_of(GetParam()));
  }
}

TEST(OptimizedGradients, OfEveryPassAlone) {
  for (const PassInfo& pass : passes()) {
    if (!pass.differentiated) continue;
    SCOPED_TRACE(pass.name);
    OptimizeOptions options;
    options.passes = {{std::string(pass.name)}};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      expect_lossless(vectorized_program(random_graph(random_options(seed)).graph), options);
    }
  }
}

TEST(OptimizedGradients, OfEveryPreset) {
  for (const GatherPreset& preset : gather_presets()) {
    SCOPED_TRACE(preset.name);
    OptimizeOptions options = options_of(2);
    options.gather_preset = preset.name;
    options.pad_mode = PadMode::Any;
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      expect_lossless(vectorized_program(random_graph(random_options(seed)).graph), options);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizer, OptimizedLevels, testing::Values(0u, 1u, 2u));

}  // namespace
}  // namespace vecc::test
