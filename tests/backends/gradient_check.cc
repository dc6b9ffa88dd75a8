#include "tests/backends/gradient_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "backends/reference/program_interpreter.h"
#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

using Gradients = std::vector<std::vector<double>>;

// By parameter, after a run and a backward pass.
Gradients read_gradients(Executable& executable, const Program& program) {
  Gradients gradients;
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const auto gradient = executable.gradient(p);
    EXPECT_TRUE(gradient) << gradient.error().text();
    gradients.push_back(gradient ? *gradient : std::vector<double>());
  }
  return gradients;
}

Gradients differentiate(Executable& executable, const Program& program,
                        const std::vector<double>& output_gradients) {
  const auto done = executable.differentiate(output_gradients);
  EXPECT_TRUE(done) << done.error().text();
  return done ? read_gradients(executable, program) : Gradients();
}

void expect_equal_bits(const Gradients& found, const Gradients& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t p = 0; p < found.size(); ++p) {
    EXPECT_TRUE(equal_bits(found[p], expected[p]))
        << "parameter " << p << " is not repeated bit by bit";
  }
}

void expect_near(const Program& program, const Gradients& found, const Gradients& expected) {
  const double tolerance = program.dtype() == DType::F64 ? 1e-9 : 1e-4;
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t p = 0; p < found.size(); ++p) {
    ASSERT_EQ(found[p].size(), expected[p].size());
    for (std::size_t i = 0; i < found[p].size(); ++i) {
      ASSERT_TRUE(agree(found[p][i], expected[p][i], tolerance))
          << "gradient of \"" << program.parameters()[p].name << "\", element " << i << " is "
          << found[p][i] << ", expected " << expected[p][i];
    }
  }
}

std::vector<double> random_output_gradients(const Program& program) {
  std::size_t count = 0;
  for (const Op& op : program.ops()) count += op.kind() == OpKind::Output ? op.size() : 0;
  return random_values(count, 99);
}

// By sample.
void expect_outputs_near(const Program& program, Executable& executable, Executable& interpreter) {
  const auto found = executable.outputs();
  const auto expected = interpreter.outputs();
  ASSERT_TRUE(found && expected);
  Gradients values[2];
  for (const auto& output : *found) values[0].push_back(output.value);
  for (const auto& output : *expected) values[1].push_back(output.value);
  ASSERT_EQ(values[0].size(), values[1].size());
  const double tolerance = program.dtype() == DType::F64 ? 1e-12 : 1e-5;
  for (std::size_t s = 0; s < values[0].size(); ++s) {
    ASSERT_EQ(values[0][s].size(), values[1][s].size());
    for (std::size_t i = 0; i < values[0][s].size(); ++i) {
      ASSERT_TRUE(agree(values[0][s][i], values[1][s][i], tolerance))
          << "output " << s << ", element " << i << " is " << values[0][s][i] << ", expected "
          << values[1][s][i];
    }
  }
}

// In both dtypes what outputs() has, sample after sample.
void expect_copies(Executable& executable) {
  const auto outputs = executable.outputs();
  ASSERT_TRUE(outputs) << outputs.error().text();
  std::vector<double> all;
  for (const auto& output : *outputs) {
    all.insert(all.end(), output.value.begin(), output.value.end());
  }
  std::vector<double> doubles(all.size());
  std::vector<float> floats(all.size());
  ASSERT_TRUE(executable.copy_outputs(std::span(doubles)));
  ASSERT_TRUE(executable.copy_outputs(std::span(floats)));
  EXPECT_TRUE(equal_bits(doubles, all));
  for (double& value : all) value = static_cast<float>(value);
  EXPECT_TRUE(equal_bits({floats.begin(), floats.end()}, all));
}

// By the sum of all outputs: what ones give.
void expect_sum_gradients(const Program& program, Executable& executable, std::size_t elements) {
  const Gradients expected = differentiate(executable, program, std::vector<double>(elements, 1.0));
  const auto done = executable.differentiate_sum();
  ASSERT_TRUE(done) << done.error().text();
  expect_equal_bits(read_gradients(executable, program), expected);
}

struct Expected {
  std::vector<double> output_gradients;
  Gradients gradients;
  Executable& interpreter;
};

// Native backends append a backward pass, and a contract has none (docs/gradients.md).
bool is_differentiable(const Backend& backend, const Program& program) {
  const bool is_native = backend.name() == "cpu" || backend.name() == "cuda";
  return !is_native || std::ranges::none_of(program.ops(), [](const Op& op) {
    return op.kind() == OpKind::Contract;
  });
}

void check_way(const Program& program, const Expected& expected, const Way& way, bool keep_values) {
  if (!is_differentiable(*way.backend, program)) return;
  SCOPED_TRACE(way.name + (keep_values ? ", values kept" : ""));
  ExecutionOptions options = way.options;
  options.gradients = true;
  options.keep_values = keep_values;
  const auto executable = way.backend->compile(program, options);
  ASSERT_TRUE(executable) << executable.error().text();
  const auto run = (*executable)->run();
  ASSERT_TRUE(run) << run.error().text();
  expect_outputs_near(program, **executable, expected.interpreter);
  if (!keep_values) {
    expect_copies(**executable);
    expect_sum_gradients(program, **executable, expected.output_gradients.size());
  }
  const auto again = [&] {
    return differentiate(**executable, program, expected.output_gradients);
  };
  const Gradients first = again();
  expect_near(program, first, expected.gradients);
  expect_equal_bits(again(), first);
  ASSERT_TRUE((*executable)->run());
  expect_equal_bits(again(), first);
}

}  // namespace

Program learn_facts(const Program& program) {
  Program result(program.dtype());
  std::vector<bool> read(program.ops().size(), false);
  for (const Parameter& parameter : program.parameters()) {
    EXPECT_TRUE(result.add_parameter(parameter));
  }
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    for (const ValueId operand : op.operands) read[operand] = true;
    const auto* fact = std::get_if<FactOp>(&op.attributes);
    OpAttributes attributes = op.attributes;
    if (fact != nullptr && !fact->unit) {
      const auto parameter =
          result.add_parameter({"fact " + std::to_string(id), op.rows, op.shape, fact->values});
      EXPECT_TRUE(parameter);
      attributes = WeightOp{*parameter};
    } else if (op.kind() == OpKind::Output) {
      attributes = GatherOp{Index::slice(0, op.rows)};
    }
    const auto added = result.add(attributes, op.operands, op.note);
    EXPECT_TRUE(added) << added.error().text();
  }
  std::uint32_t samples = 0;
  for (ValueId id = 0; id < read.size(); ++id) {
    if (read[id]) continue;
    const std::uint32_t rows = result.op(id).rows;
    result.set_sample_count(samples + rows);
    result.output(id, Index::slice(samples, rows));
    samples += rows;
  }
  return result;
}

std::unique_ptr<Executable> compile_tested_gradients(const Program& program) {
  const Way& way = tested_ways().front();
  ExecutionOptions options = way.options;
  options.gradients = true;
  auto executable = way.backend->compile(program, options);
  EXPECT_TRUE(executable) << executable.error().text();
  return executable ? std::move(*executable) : nullptr;
}

void expect_gradient_agreement(const Program& program) {
  ExecutionOptions options;
  options.gradients = true;
  const auto interpreter = reference::interpreter_backend().compile(program, options);
  ASSERT_TRUE(interpreter) << interpreter.error().text();
  ASSERT_TRUE((*interpreter)->run());
  Expected expected{random_output_gradients(program), {}, **interpreter};
  expected.gradients = differentiate(**interpreter, program, expected.output_gradients);
  for (const Way& way : tested_ways()) {
    check_way(program, expected, way, /*keep_values=*/false);
  }
  const Way& first = tested_ways().front();
  if (!first.is_costly) {
    check_way(program, expected, first, /*keep_values=*/true);
  }
}

}  // namespace vecc::test
