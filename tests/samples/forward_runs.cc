#include "tests/samples/forward_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backends/reference/program_interpreter.h"

namespace vecc::test {

std::unique_ptr<Executable> run_program(const Program& program, bool gradients) {
  ExecutionOptions options;
  options.gradients = gradients;
  auto executable = interpreter_backend().compile(program, options);
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

// Values for the parameters that have none.
void fill_parameters(Program& program, RandomSource& random) {
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    if (parameter.values) continue;
    auto values = std::make_shared<std::vector<double>>(parameter.rows * parameter.shape.size());
    for (double& value : *values) value = random.real(-1, 1);
    program.set_parameter_values(p, std::move(values));
  }
}

bool is_forward(const Program& program) {
  return std::ranges::all_of(program.ops(), [](const Op& op) {
    const OpKind kind = op.kind();
    return kind != OpKind::Contract && kind != OpKind::Vjp && kind != OpKind::State &&
           kind != OpKind::Update;
  });
}

}  // namespace vecc::test
