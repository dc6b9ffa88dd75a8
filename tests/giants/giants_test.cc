// Graphs by hand that have very much of one thing: the cpu backend computes what the reference
// does, and what is too much is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/support/graph_builder.h"
#include "tests/support/sanitized.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// Of each kind; a sanitizer makes all slower.
constexpr std::uint32_t kMany = kSanitized ? 1 << 13 : 1 << 16;

double fact_value(std::uint32_t i) {
  return static_cast<double>(i * 37 % 101) / 64 - 0.75;
}

std::vector<NeuronId> add_facts(GraphBuilder& b, std::uint32_t count) {
  const GroupIndex group = b.group("fact", NeuronClass::Fact);
  std::vector<NeuronId> facts;
  for (std::uint32_t i = 0; i < count; ++i) facts.push_back(b.fact(group, fact_value(i)));
  return facts;
}

NeuronId add_row(GraphBuilder& b, std::uint32_t size) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < size; ++i) values.push_back(fact_value(i));
  return b.fact(b.group("row", NeuronClass::Fact), Shape::column(size), std::move(values));
}

// Through a file, too: what is near a limit of the format is written and read.
NeuronGraph through_file(const NeuronGraph& graph) {
  const TemporaryFolder folder;
  const std::string path = folder.path("giant.pb");
  EXPECT_TRUE(write_graph(graph, path, Compression::None));
  auto read = read_graph(path);
  EXPECT_TRUE(read) << read.error().text();
  return std::move(*read);
}

void expect_output(const Executable::Output& found, std::span<const double> expected,
                   std::size_t s) {
  ASSERT_EQ(found.value.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found.value[i], expected[i], 1e-9 * std::max(1.0, std::abs(expected[i])))
        << "sample " << s << ", element " << i;
  }
}

void expect_as_reference(const GraphBuilder& builder) {
  const NeuronGraph graph = through_file(builder.build());
  const auto expected = evaluate_reference(graph);
  ASSERT_TRUE(expected) << expected.error().text();
  VectorizeOptions wide;
  wide.dtype = DType::F64;
  auto vectorized = vectorize(graph, wide);
  ASSERT_TRUE(vectorized) << vectorized.error().text();
  const auto optimized = optimize(vectorized->program);
  ASSERT_TRUE(optimized) << optimized.error().text();
  const Program* const programs[] = {&vectorized->program, &*optimized};
  for (const Program* program : programs) {
    const auto executable = cpu_backend().compile(*program, {});
    ASSERT_TRUE(executable) << executable.error().text();
    ASSERT_TRUE((*executable)->run());
    const auto outputs = (*executable)->outputs().value();
    ASSERT_EQ(outputs.size(), graph.samples.size());
    for (std::size_t s = 0; s < outputs.size(); ++s) {
      expect_output(outputs[s], expected->value(graph.samples[s].output), s);
    }
  }
}

TEST(Giants, OneSegmentOfAllNeurons) {
  GraphBuilder b;
  const std::vector<NeuronId> facts = add_facts(b, 4 * kMany);
  const GroupIndex rules = b.group("rule", NeuronClass::Rule);
  for (const Combination of :
       {Combination::Sum, Combination::Avg, Combination::Max, Combination::Min}) {
    b.sample(b.neuron(rules, function(of, Transformation::Tanh), facts));
  }
  expect_as_reference(b);
}

TEST(Giants, OneSoftmaxOfAllNeurons) {
  GraphBuilder b;
  const std::vector<NeuronId> facts = add_facts(b, kMany);
  const GroupIndex rules = b.group("rule", NeuronClass::Rule);
  for (const Combination of : {Combination::Softmax, Combination::Sparsemax}) {
    b.sample(b.neuron(rules, function(of), facts));
  }
  expect_as_reference(b);
}

TEST(Giants, OneFactThatAllNeuronsRead) {
  GraphBuilder b;
  const NeuronId fact = add_facts(b, 1).front();
  const GroupIndex rules = b.group("rule");
  const WeightId weights = b.weight_table("w", kMany, Shape(), [] {
    std::vector<double> values;
    for (std::uint32_t i = 0; i < kMany; ++i) values.push_back(fact_value(i));
    return values;
  }());
  for (std::uint32_t i = 0; i < kMany; ++i) {
    b.sample(b.neuron(rules, function(Combination::Sum, Transformation::Sigmoid), {fact},
                      {weights + i}));
  }
  expect_as_reference(b);
}

TEST(Giants, AsManyGroupsAsNeurons) {
  GraphBuilder b;
  const std::vector<NeuronId> facts = add_facts(b, 16);
  std::vector<NeuronId> all;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    const GroupIndex group = b.group("rule " + std::to_string(i), NeuronClass::Rule);
    all.push_back(b.neuron(group, function(Combination::Sum, Transformation::Tanh),
                           {facts[i % 16], facts[i / 16 % 16]}));
  }
  b.sample(b.neuron(b.group("all", NeuronClass::Rule), function(Combination::Sum), all));
  expect_as_reference(b);
}

TEST(Giants, AsManyWeightTablesAsNeurons) {
  GraphBuilder b;
  const NeuronId fact = add_facts(b, 1).front();
  const GroupIndex rules = b.group("rule");
  std::vector<NeuronId> all;
  for (std::uint32_t i = 0; i < kMany / 8; ++i) {
    const WeightId weight = b.weight("w" + std::to_string(i), Shape(), {fact_value(i)});
    all.push_back(
        b.neuron(rules, function(Combination::Sum, Transformation::Tanh), {fact}, {weight}));
  }
  b.sample(b.neuron(b.group("all", NeuronClass::Rule), function(Combination::Avg), all));
  expect_as_reference(b);
}

TEST(Giants, ARecursionOfManyLevels) {
  GraphBuilder b;
  NeuronId last = add_facts(b, 1).front();
  const WeightId weight = b.weight("w", Shape(), {0.75});
  const GroupIndex rules = b.group("next");
  for (std::uint32_t i = 0; i < kMany / 16; ++i) {
    last = b.neuron(rules, function(Combination::Sum, Transformation::Tanh), {last}, {weight});
  }
  b.sample(last);
  expect_as_reference(b);
}

TEST(Giants, OneNeuronOfAllSamples) {
  GraphBuilder b;
  const NeuronId fact = add_facts(b, 1).front();
  const NeuronId neuron =
      b.neuron(b.group("rule", NeuronClass::Rule), function(Combination::Sum), {fact});
  for (std::uint32_t i = 0; i < kMany; ++i) b.sample(neuron);
  expect_as_reference(b);
}

TEST(Giants, LongRows) {
  GraphBuilder b;
  const NeuronId row = add_row(b, 16 * kMany);
  const GroupIndex rules = b.group("rule", NeuronClass::Rule);
  for (const Transformation of : {Transformation::Softmax, Transformation::Norm}) {
    b.sample(b.neuron(rules, function(Combination::Sum, of), {row}));
  }
  b.sample(b.neuron(rules, function(Combination::CosSim), {row, row}));
  expect_as_reference(b);
}

TEST(Giants, ACrossSumOfManySmallRows) {
  GraphBuilder b;
  const NeuronId row = add_row(b, 2);
  const std::uint32_t rows = kSanitized ? 12 : 18;
  b.sample(b.neuron(b.group("rule", NeuronClass::Rule), function(Combination::CrossSum),
                    std::vector<NeuronId>(rows, row)));
  expect_as_reference(b);
}

// 2^40, 2^64 and 2^100 numbers: none is allocated.
TEST(Giants, AValueThatNoMemoryHoldsIsRefused) {
  for (const std::uint32_t rows : {40u, 64u, 100u}) {
    GraphBuilder b;
    const NeuronId row = add_row(b, 2);
    b.sample(b.neuron(b.group("rule", NeuronClass::Rule), function(Combination::CrossSum),
                      std::vector<NeuronId>(rows, row)));
    const NeuronGraph graph = through_file(b.build());
    const auto expected = evaluate_reference(graph);
    ASSERT_FALSE(expected);
    const auto vectorized = vectorize(graph);
    ASSERT_FALSE(vectorized);
    EXPECT_EQ(vectorized.error().list().front().code, expected.error().list().front().code);
    EXPECT_EQ(expected.error().exit_code(), ExitCode::Limit) << expected.error().text();
  }
}

}  // namespace
}  // namespace vecc::test
