#include "tests/backends/gradient_check.h"

#include <gtest/gtest.h>

#include <cstring>

#include "backends/reference/program_interpreter.h"
#include "backends/torch/torch_backend.h"
#include "tests/backends/torch_check.h"

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
    ASSERT_EQ(found[p].size(), expected[p].size());
    EXPECT_EQ(std::memcmp(found[p].data(), expected[p].data(), found[p].size() * sizeof(double)), 0)
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

void check_torch(const Program& program, const std::vector<double>& output_gradients,
                 const Gradients& expected, TorchReduce reduce, bool keep_values) {
  SCOPED_TRACE("way of adding " + std::to_string(static_cast<int>(reduce)) +
               (keep_values ? ", values kept" : ""));
  const auto torch = compile_torch_gradients(program, reduce, keep_values);
  ASSERT_NE(torch, nullptr);
  const auto run = torch->run();
  ASSERT_TRUE(run) << run.error().text();
  const Gradients first = differentiate(*torch, program, output_gradients);
  expect_near(program, first, expected);
  expect_equal_bits(differentiate(*torch, program, output_gradients), first);
  ASSERT_TRUE(torch->run());
  expect_equal_bits(differentiate(*torch, program, output_gradients), first);
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

std::unique_ptr<Executable> compile_torch_gradients(const Program& program, TorchReduce reduce,
                                                    bool keep_values) {
  ExecutionOptions options;
  options.device = test_device();
  options.gradients = true;
  options.torch_reduce = reduce;
  options.keep_values = keep_values;
  auto executable = torch_backend().compile(program, options);
  EXPECT_TRUE(executable) << executable.error().text();
  return executable ? std::move(*executable) : nullptr;
}

void expect_gradient_agreement(const Program& program) {
  ExecutionOptions options;
  options.gradients = true;
  const auto interpreter = interpreter_backend().compile(program, options);
  ASSERT_TRUE(interpreter) << interpreter.error().text();
  ASSERT_TRUE((*interpreter)->run());
  const std::vector<double> output_gradients = random_output_gradients(program);
  const Gradients expected = differentiate(**interpreter, program, output_gradients);
  for (const TorchReduce reduce :
       {TorchReduce::Auto, TorchReduce::Segment, TorchReduce::Scatter, TorchReduce::SpMM}) {
    check_torch(program, output_gradients, expected, reduce, /*keep_values=*/false);
  }
  check_torch(program, output_gradients, expected, TorchReduce::Auto, /*keep_values=*/true);
}

}  // namespace vecc::test
