// Gradients of Programs by the interpreter, for tests.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/reference/interpreter_check.h"
#include "tests/support/random_source.h"

namespace vecc::test {

/// Every parameter without values gets random ones in (low, high).
inline void draw_parameters(Program& program, std::uint64_t seed, double low = -1,
                            double high = 1) {
  RandomSource random(seed);
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    if (parameter.values) continue;
    std::vector<double> values(parameter.rows * parameter.shape.size());
    for (double& v : values) v = random.real(low, high);
    program.set_parameter_values(p, SharedNumbers::of(values));
  }
}

/// The reference's gradients of a learnable table's weights, one after another; none if there is
/// none of that name.
inline std::vector<double> table_gradients(const NeuronGraph& graph,
                                           const ReferenceGradients& gradients,
                                           const std::string& name) {
  std::vector<double> all;
  for (const WeightTable& table : graph.weight_tables) {
    if (table.name != name || !table.learnable) continue;
    for (WeightId w = table.first; w < table.first + table.count; ++w) {
      all.insert(all.end(), gradients.weight(w).begin(), gradients.weight(w).end());
    }
  }
  return all;
}

/// Compiled for gradients; throws with the errors' text if there are any.
inline std::unique_ptr<Executable> compile_for_gradients(const Program& program,
                                                         bool keep_values = false) {
  ExecutionOptions options;
  options.gradients = true;
  options.keep_values = keep_values;
  auto executable = find_backend("interpreter")->compile(program, options);
  if (!executable) throw std::logic_error(executable.error().text());
  return std::move(*executable);
}

/// The gradients by all parameters after one run; throws with the errors' text if there are any.
inline std::vector<std::vector<double>> program_gradients(
    const Program& program, const std::vector<double>& output_gradients, bool keep_values = false) {
  const auto executable = compile_for_gradients(program, keep_values);
  auto done = executable->run();
  if (done) done = executable->differentiate(output_gradients);
  if (!done) throw std::logic_error(done.error().text());
  std::vector<std::vector<double>> gradients;
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    gradients.push_back(executable->gradient(p).value());
  }
  return gradients;
}

}  // namespace vecc::test
