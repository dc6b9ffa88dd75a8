// What is compiled: nothing twice, and nothing for a Program of kernels that were seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "backends/cpu/cpu_executable.h"
#include "tests/cpu/code_fixture.h"
#include "tests/program/recursive_levels.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// A cache of its own, so that the first compilation is one.
class CodeCountsTest : public CodeTest {
 protected:
  static cpu::CodeCounts counts_of(const Program& program, const ExecutionOptions& options = {}) {
    const auto made = cpu::CpuExecutable::make(program, options);
    EXPECT_TRUE(made) << made.error().text();
    return made ? static_cast<cpu::CpuExecutable&>(**made).code_counts() : cpu::CodeCounts();
  }

  // Mutagenesis, so many times side by side.
  Program mutagenesis(std::uint32_t copies) {
    const std::string source = std::getenv("VECC_SOURCE_DIR");
    const auto graph = read_graph(source + "/datasets/mutagenesis.pb");
    EXPECT_TRUE(graph) << graph.error().text();
    const std::string path = folder_.path("copies.pb");
    EXPECT_TRUE(write_graph(*graph, path, Compression::None, copies));
    return *optimize(vectorize(*read_graph(path))->program);
  }
};

TEST_F(CodeCountsTest, TheSameProgramCompilesNothing) {
  const Program program = recursive_program(3, /*learns=*/false);
  const cpu::CodeCounts first = counts_of(program);
  EXPECT_GT(first.compiled, 0u);
  const cpu::CodeCounts second = counts_of(program);
  EXPECT_EQ(second.compiled, 0u);
  EXPECT_EQ(second.cached, first.compiled + first.cached);
}

TEST_F(CodeCountsTest, ALargerGraphOfTheSameTemplateCompilesNothing) {
  EXPECT_GT(counts_of(mutagenesis(1)).compiled, 0u);
  const cpu::CodeCounts larger = counts_of(mutagenesis(3));
  EXPECT_EQ(larger.compiled, 0u);
  EXPECT_GT(larger.cached, 0u);
}

TEST_F(CodeCountsTest, MoreLevelsOfARecursionCompileNothing) {
  const cpu::CodeCounts few = counts_of(recursive_program(5, /*learns=*/false));
  EXPECT_GT(few.compiled, 0u);
  const cpu::CodeCounts many = counts_of(recursive_program(2000, /*learns=*/false));
  EXPECT_EQ(many.compiled, 0u);
  EXPECT_EQ(many.cached, few.compiled + few.cached);
}

TEST_F(CodeCountsTest, MoreLevelsCompileNothingBackwards) {
  ExecutionOptions options;
  options.gradients = true;
  const cpu::CodeCounts few = counts_of(recursive_program(5, /*learns=*/false), options);
  EXPECT_GT(few.compiled, 0u);
  EXPECT_EQ(counts_of(recursive_program(2000, /*learns=*/false), options).compiled, 0u);
}

// tanh of a weight of each shape from `first` numbers on.
Program shapes_program(std::uint32_t first, std::uint32_t count) {
  Program program(DType::F32);
  program.set_sample_count(count);
  TransformationSpec tanh;
  tanh.id = Transformation::Tanh;
  for (std::uint32_t k = 0; k < count; ++k) {
    const Shape shape = Shape::column(first + k);
    std::vector<double> values(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) values[i] = std::sin(1.0 + i + k);
    const ValueId weight = program.weight(
        *program.add_parameter({"w" + std::to_string(k), 1, shape, SharedNumbers::of(values)}));
    program.output(program.transform(weight, tanh), Index::slice(k, 1));
  }
  return program;
}

TEST_F(CodeCountsTest, ManyShapesAreCompiledByFewProcesses) {
  const ScopedVariable quick("VECC_CXXFLAGS", "-O0");
  const cpu::CodeCounts all = counts_of(shapes_program(1, 400));
  EXPECT_GE(all.compiled, 400u);
  const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  EXPECT_LE(all.units, std::max<std::size_t>(2 * cores, all.compiled / cpu::kPartsOfUnit));
  const cpu::CodeCounts some = counts_of(shapes_program(7, 90));
  EXPECT_EQ(some.compiled, 0u) << "another graph finds each of them";
  EXPECT_EQ(some.units, 0u);
}

// Compiling them takes seconds, a run of them less than a millisecond.
TEST_F(CodeCountsTest, ManyShapesThatRunOnceAreInterpreted) {
  const Program program = shapes_program(1, 100);
  ExecutionOptions once;
  once.expected_runs = 1;
  EXPECT_EQ(counts_of(program, once).compiled, 0u);
  auto interpreted = *cpu::CpuExecutable::make(program, once);
  EXPECT_EQ(interpreted->device_name(), "cpu, kernels interpreted");
  const ScopedVariable quick("VECC_CXXFLAGS", "-O0");
  auto compiled = *cpu::CpuExecutable::make(program, {});
  EXPECT_EQ(compiled->device_name(), "cpu");
  ASSERT_TRUE(interpreted->run());
  ASSERT_TRUE(compiled->run());
  const auto found = *interpreted->outputs();
  const auto expected = *compiled->outputs();
  ASSERT_EQ(found.size(), 100u);
  for (std::size_t s = 0; s < found.size(); ++s) {
    for (std::size_t i = 0; i < found[s].value.size(); ++i) {
      EXPECT_NEAR(found[s].value[i], expected[s].value[i], 1e-6);
    }
  }
  // What another run has compiled changes no number.
  EXPECT_EQ((*cpu::CpuExecutable::make(program, once))->device_name(), "cpu, kernels interpreted");
}

TEST_F(CodeCountsTest, ManyShapesThatRunOftenAndFewShapesAreCompiled) {
  const ScopedVariable quick("VECC_CXXFLAGS", "-O0");
  ExecutionOptions options;
  options.expected_runs = 1'000'000;
  EXPECT_GE(counts_of(shapes_program(1, 100), options).compiled, 100u);
  options.expected_runs = 1;
  EXPECT_GE(counts_of(shapes_program(201, 20), options).compiled, 20u);
}

TEST_F(CodeCountsTest, AnotherNumberOfThreadsCompilesNothing) {
  ExecutionOptions options;
  options.threads = 1;
  EXPECT_GT(counts_of(recursive_program(2, /*learns=*/false), options).compiled, 0u);
  options.threads = 7;
  EXPECT_EQ(counts_of(recursive_program(2, /*learns=*/false), options).compiled, 0u);
}

}  // namespace
}  // namespace vecc::test
