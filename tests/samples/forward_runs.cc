#include "tests/samples/forward_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backends/reference/program_interpreter.h"
#include "src/program/forward.h"
#include "tests/program/random_program.h"
#include "tests/support/random_graph.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// Values for the parameters that have none.
void fill_parameters(Program& program, RandomSource& random) {
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    if (parameter.values) continue;
    std::vector<double> values(parameter.rows * parameter.shape.size());
    for (double& value : values) value = random.real(-1, 1);
    program.set_parameter_values(p, SharedNumbers::of(std::move(values)));
  }
}

}  // namespace

std::unique_ptr<Executable> run_program(const Program& program, bool gradients) {
  ExecutionOptions options;
  options.gradients = gradients;
  auto executable = reference::interpreter_backend().compile(program, options);
  EXPECT_TRUE(executable) << executable.error().text();
  const auto run = (*executable)->run();
  EXPECT_TRUE(run) << run.error().text();
  return std::move(*executable);
}

// Gradients of all outputs, zero for the samples that are not in the batch.
std::vector<double> seed_of(const std::vector<Executable::Output>& outputs, const Samples* only) {
  std::vector<double> seed;
  for (std::uint32_t s = 0; s < outputs.size(); ++s) {
    const bool counts = only == nullptr || std::ranges::find(*only, s) != only->end();
    seed.insert(seed.end(), outputs[s].value.size(), counts ? 1.0 : 0.0);
  }
  return seed;
}

void expect_near_where_finite(const std::vector<double>& found,
                              const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i]) || std::isinf(expected[i])) continue;
    EXPECT_NEAR(found[i], expected[i], 1e-12 * std::max(1.0, std::abs(expected[i])));
  }
}

void for_random_programs(std::uint32_t count,
                         const std::function<void(const Program&, RandomSource&)>& check) {
  for (std::uint32_t seed = 0; seed < count; ++seed) {
    RandomSource random(seed);
    Program program = random_program(random, 1 + seed % 24);
    if (!is_forward(program) || program.sample_count() == 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    fill_parameters(program, random);
    check(program, random);
  }
}

void for_random_graphs(
    std::uint32_t count,
    const std::function<void(const Program&, const Program&, RandomSource&)>& check) {
  for (std::uint32_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph random = random_graph(random_options(seed));
    const auto vectorized = vectorize(random.graph, {});
    ASSERT_TRUE(vectorized) << vectorized.error().text();
    const auto optimized = optimize(vectorized->program, {});
    ASSERT_TRUE(optimized) << optimized.error().text();
    RandomSource source(seed);
    check(vectorized->program, *optimized, source);
  }
}

}  // namespace vecc::test
