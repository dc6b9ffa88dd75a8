// Metrics of outputs in one piece of memory are those of one output after another.
#include "src/train/class_vectors.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "src/support/list_threads.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

constexpr std::size_t kSize = 3;

// Samples of one class each.
NeuronGraph labelled_graph(std::size_t samples) {
  NeuronGraph graph;
  for (std::size_t i = 0; i < samples; ++i) {
    Sample sample;
    sample.has_target = true;
    sample.target_shape = Shape(kSize, 1);
    sample.target_begin = graph.target_values.size();
    graph.samples.push_back(sample);
    for (std::size_t k = 0; k < kSize; ++k) graph.target_values.push_back(k == i % 7 % kSize);
  }
  return graph;
}

Program program_with(const std::string& output) {
  const auto program = parse_program("vecc program 1 f32 samples 4\nparameter \"x\" [4, " + output +
                                         "]\n%0 = weight \"x\" : f32[4, " + output +
                                         "]\n%1 = output %0 [0:4] : f32[4, " + output + "]\n",
                                     "test");
  EXPECT_TRUE(program) << program.error().text();
  return *program;
}

// Numbers of which floats have each, some not to be ranked.
std::vector<float> outputs_of(std::size_t samples) {
  std::vector<float> outputs;
  for (std::size_t i = 0; i < kSize * samples; ++i) {
    outputs.push_back(static_cast<float>(i * 7919 % 1009) / 64);
    if (i % 5001 == 5000) outputs.back() = std::numeric_limits<float>::quiet_NaN();
  }
  return outputs;
}

TEST(ClassVectors, AreMeasuredAsOutputsAre) {
  const std::size_t samples = 100'000;  // which threads share
  const NeuronGraph graph = labelled_graph(samples);
  std::vector<std::uint32_t> all(samples);
  for (std::uint32_t i = 0; i < samples; ++i) all[i] = i;
  const std::vector<float> narrow = outputs_of(samples);
  const std::vector<double> wide(narrow.begin(), narrow.end());
  std::vector<Executable::Output> outputs;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto row = std::span(wide).subspan(i * kSize, kSize);
    outputs.push_back({Shape(kSize, 1), {row.begin(), row.end()}});
  }
  for (const bool logits : {false, true}) {
    const auto expected = fields_of(measure(graph, all, outputs, {.logits = logits}));
    const ListThreads threads(3);
    EXPECT_EQ(fields_of(training::measure_class_vectors(graph, all, std::span(narrow),
                                                        {.logits = logits})),
              expected);
    EXPECT_EQ(
        fields_of(training::measure_class_vectors(graph, all, std::span(wide), {.logits = logits})),
        expected);
  }
}

TEST(ClassVectors, AreOfOneClassAndSizeEach) {
  const std::vector<std::uint32_t> all{0, 1, 2, 3};
  const NeuronGraph graph = labelled_graph(4);
  EXPECT_EQ(training::class_vector_size(graph, all, program_with("3x1")), kSize);
  EXPECT_EQ(training::class_vector_size(graph, all, program_with("4x1")), 0u);
  EXPECT_EQ(training::class_vector_size(graph, std::span(all).first(3), program_with("3x1")), 0u);
  const auto empty = parse_program(
      "vecc program 1 f32 samples 0\n%0 = fact {} : f32[0, 3x1]\n"
      "%1 = output %0 [] : f32[0, 3x1]\n",
      "test");
  ASSERT_TRUE(empty) << empty.error().text();
  EXPECT_EQ(training::class_vector_size(graph, {}, *empty), 0u);
  NeuronGraph unlabelled = graph;
  unlabelled.samples[2].has_target = false;
  EXPECT_EQ(training::class_vector_size(unlabelled, all, program_with("3x1")), 0u);
  NeuronGraph positive = graph;
  positive.samples[1].role = Role::Positive;
  EXPECT_EQ(training::class_vector_size(positive, all, program_with("3x1")), 0u);
  NeuronGraph labels = graph;
  for (std::size_t k = 0; k < kSize; ++k) labels.target_values[k] = 1;
  EXPECT_EQ(training::class_vector_size(labels, all, program_with("3x1")), 0u);
}

}  // namespace
}  // namespace vecc::test
