#include "tests/differentiate/gradient_case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "tests/reference/program_gradient_check.h"
#include "tests/support/random_source.h"
#include "vecc/program_text.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

constexpr double kTolerance = 1e-12;

bool agree(double found, double expected) {
  if (std::isnan(expected)) return std::isnan(found);
  return found == expected ||
         std::abs(found - expected) <= kTolerance * std::max(1.0, std::abs(expected));
}

// By sample, where its output's elements begin.
std::vector<std::uint64_t> sample_begin(const Program& program) {
  std::vector<std::uint64_t> begin(program.sample_count() + std::size_t{1});
  for (const Op& op : program.ops()) {
    const auto* output = std::get_if<OutputOp>(&op.attributes);
    if (output == nullptr) continue;
    for (std::uint32_t i = 0; i < op.rows; ++i) begin[output->samples[i] + 1u] = op.shape.size();
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  return begin;
}

}  // namespace

std::vector<double> random_output_gradients(const Program& program, std::uint64_t seed) {
  RandomSource random(seed);
  std::vector<double> result(sample_begin(program).back());
  for (double& g : result) g = random.chance(0.1) ? 0 : random.real(-1, 1);
  return result;
}

Differentiated differentiate_outputs(const Program& program,
                                     const std::vector<double>& output_gradients) {
  Differentiated result{program, {}};
  const std::vector<std::uint64_t> begin = sample_begin(program);
  std::vector<Seed> seeds;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    const auto* output = std::get_if<OutputOp>(&op.attributes);
    if (output == nullptr) continue;
    std::vector<double> rows;
    for (std::uint32_t i = 0; i < op.rows; ++i) {
      const auto first =
          output_gradients.begin() + static_cast<std::ptrdiff_t>(begin[output->samples[i]]);
      rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(op.shape.size()));
    }
    seeds.push_back({id, result.program.fact(std::move(rows), op.rows, op.shape, "seed")});
  }
  std::vector<ParameterIndex> wanted(program.parameters().size());
  std::iota(wanted.begin(), wanted.end(), 0u);
  auto gradients = append_gradients(result.program, seeds, wanted);
  if (!gradients) throw std::logic_error(gradients.error().text());
  if (auto verified = verify(result.program); !verified) {
    throw std::logic_error(verified.error().text());
  }
  result.gradients = std::move(*gradients);
  return result;
}

Program vectorized_program(const NeuronGraph& graph) {
  VectorizeOptions options;
  options.dtype = DType::F64;
  return vectorize(graph, options).value().program;
}

Program learn_all(const Program& program) {
  Program result(program.dtype());
  std::vector<bool> read(program.ops().size());
  for (const Parameter& parameter : program.parameters()) {
    result.add_parameter(parameter).value();
  }
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    for (const ValueId operand : op.operands) read[operand] = true;
    OpAttributes attributes = op.attributes;
    const auto* fact = std::get_if<FactOp>(&op.attributes);
    if (fact != nullptr && !fact->unit) {
      const std::string name = "fact " + std::to_string(id);
      attributes = WeightOp{result.add_parameter({name, op.rows, op.shape, fact->values}).value()};
    } else if (op.kind() == OpKind::Output) {
      attributes = GatherOp{Index::slice(0, op.rows)};
    }
    result.add(attributes, op.operands, op.note).value();
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

std::string gradient_difference(const Program& program, std::uint64_t seed) {
  const std::vector<double> output_gradients = random_output_gradients(program, seed);
  const auto expected = program_gradients(program, output_gradients);
  const Differentiated both = differentiate_outputs(program, output_gradients);
  const auto executable = compile_or_throw(both.program);
  if (const auto done = executable->run(); !done) throw std::logic_error(done.error().text());
  for (ParameterIndex p = 0; p < expected.size(); ++p) {
    std::vector<double> found(expected[p].size());
    if (both.gradients[p]) found = executable->read(*both.gradients[p]).value();
    const std::string& name = program.parameters()[p].name;
    if (found.size() != expected[p].size()) return "\"" + name + "\" has another size";
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (agree(found[i], expected[p][i])) continue;
      return "gradient of \"" + name + "\", element " + std::to_string(i) + " is " +
             std::to_string(found[i]) + ", expected " + std::to_string(expected[p][i]);
    }
  }
  return "";
}

void expect_gradients(const std::string& name, const std::function<void(Program&)>& build) {
  SCOPED_TRACE(name);
  Program program(DType::F64);
  build(program);
  program = learn_all(program);
  std::string difference;
  try {
    difference = gradient_difference(program);
  } catch (const std::exception& error) {
    difference = error.what();
  }
  if (difference.empty()) return;
  ADD_FAILURE() << difference << "\n"
                << text_of(
                       differentiate_outputs(program, random_output_gradients(program, 1)).program);
}

std::string text_of(const Program& program) {
  PrintOptions options;
  options.long_arrays = LongArrays::Full;
  options.parameter_values = true;
  return print(program, options);
}

}  // namespace vecc::test
