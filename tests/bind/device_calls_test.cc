// What a new graph costs on a GPU beside its kernels: on the emulated one every call that takes
// time is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/bind/tested_program.h"
#include "tests/cuda/emulator/find_calls.h"
#include "tests/support/graph_builder.h"
#include "tests/support/graph_subset.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

NeuronGraph mutagenesis() {
  return *read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb");
}

std::vector<NeuronGraph> single_molecules(const NeuronGraph& graph) {
  std::vector<NeuronGraph> result;
  for (std::uint32_t s = 0; s < graph.samples.size(); s += 8) {
    result.push_back(graph_of_samples(graph, std::span(&s, 1)));
  }
  return result;
}

TEST(BoundGraphCalls, a_small_graph_is_one_launch_and_nothing_else) {
  const EmulatedCalls* const calls = emulated_calls();
  if (calls == nullptr) GTEST_SKIP() << "VECC_CUDA_DRIVER names no emulator";
  const NeuronGraph all = mutagenesis();
  const auto program = Template::of(all)->compile(tested_options());
  ASSERT_TRUE(program) << program.error().text();
  const std::vector<NeuronGraph> graphs = single_molecules(all);
  const NeuronGraph& largest = *std::ranges::max_element(graphs, {}, &NeuronGraph::neuron_count);
  BoundGraph bound;
  ASSERT_TRUE((*program)->bind(largest, bound));
  ASSERT_TRUE((*program)->run(bound));
  const EmulatedCalls before = *calls;
  const auto counts = (*program)->counts();
  for (const NeuronGraph& graph : graphs) {
    ASSERT_TRUE((*program)->bind(graph, bound));
    EXPECT_GT(bound.launch_count(), 10u);
    ASSERT_TRUE((*program)->run(bound));
  }
  EXPECT_EQ(calls->allocations, before.allocations);
  EXPECT_EQ(calls->modules, before.modules);
  EXPECT_EQ(calls->graphs, before.graphs);
  EXPECT_EQ(calls->launches, before.launches + graphs.size());
  EXPECT_EQ((*program)->counts().kernels, counts.kernels);
  EXPECT_EQ((*program)->counts().compiled, counts.compiled);
}

TEST(BoundGraphCalls, many_graphs_at_once_are_a_launch_a_stage_and_give_the_same_bits) {
  const EmulatedCalls* const calls = emulated_calls();
  if (calls == nullptr) GTEST_SKIP() << "VECC_CUDA_DRIVER names no emulator";
  const NeuronGraph all = mutagenesis();
  const auto program = Template::of(all)->compile(tested_options());
  ASSERT_TRUE(program) << program.error().text();
  BoundGraph bound;
  ASSERT_TRUE((*program)->bind(all, bound));
  const EmulatedCalls before = *calls;
  ASSERT_TRUE((*program)->run(bound));
  EXPECT_GT(calls->launches - before.launches, 2u);
  EXPECT_LE(calls->launches - before.launches, bound.launch_count() + 1);
  const auto together = (*program)->outputs(bound);
  BoundGraph alone;
  for (std::uint32_t s = 0; s < all.samples.size(); s += 8) {
    ASSERT_TRUE((*program)->bind(graph_of_samples(all, std::span(&s, 1)), alone));
    ASSERT_TRUE((*program)->run(alone));
    EXPECT_EQ((*program)->outputs(alone)[0].value, together[s].value) << s;
  }
}

// Facts of 256 numbers: more than a block has in its memory.
TEST(BoundGraphCalls, a_wide_graph_is_one_launch_in_the_gpus_memory) {
  const EmulatedCalls* const calls = emulated_calls();
  if (calls == nullptr) GTEST_SKIP() << "VECC_CUDA_DRIVER names no emulator";
  GraphBuilder b;
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const GroupIndex layer = b.group("layer");
  std::vector<NeuronId> read;
  for (std::uint32_t i = 0; i < 40; ++i) {
    read.push_back(b.fact(facts, Shape::column(256), std::vector<double>(256, 1.0 + i)));
  }
  b.sample(b.neuron(layer, function(Combination::Sum, Transformation::Identity), read));
  const NeuronGraph graph = b.build();
  const auto program = Template::of(graph)->compile(tested_options());
  ASSERT_TRUE(program) << program.error().text();
  BoundGraph bound;
  ASSERT_TRUE((*program)->bind(graph, bound));
  const std::uint64_t before = calls->launches;
  ASSERT_TRUE((*program)->run(bound));
  EXPECT_EQ(calls->launches, before + 1);
  EXPECT_EQ((*program)->outputs(bound)[0].value, std::vector<double>(256, 820));
}

TEST(BoundGraphCalls, outputs_may_be_facts) {
  GraphBuilder b;
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId x = b.fact(facts, Shape::column(2), {3, 5});
  b.sample(x);
  b.sample(b.neuron(b.group("layer"), function(Combination::Sum), {x}));
  const NeuronGraph graph = b.build();
  const auto program = Template::of(graph)->compile(tested_options());
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_EQ((*program)->counts().kernels, 0u);
  BoundGraph bound;
  ASSERT_TRUE((*program)->bind(graph, bound));
  ASSERT_TRUE((*program)->run(bound));
  for (const auto& output : (*program)->outputs(bound)) {
    EXPECT_EQ(output.value, (std::vector<double>{3, 5}));
  }
}

// A product of `count` numbers, the inputs of one neuron.
NeuronGraph product_of(std::uint32_t count) {
  GraphBuilder b;
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const GroupIndex layer = b.group("layer");
  std::vector<NeuronId> read;
  for (std::uint32_t i = 0; i < count; ++i) read.push_back(b.fact(facts, Shape(), {2.0 + i}));
  b.sample(b.neuron(layer, function(Combination::Product, Transformation::Tanh), read));
  return b.build();
}

TEST(BoundGraphCalls, a_kernel_that_a_new_graph_needs_is_compiled_once) {
  const EmulatedCalls* const calls = emulated_calls();
  if (calls == nullptr) GTEST_SKIP() << "VECC_CUDA_DRIVER names no emulator";
  const auto program = Template::of(product_of(2))->compile(tested_options());
  ASSERT_TRUE(program) << program.error().text();
  const std::uint32_t kernels = (*program)->counts().kernels;
  BoundGraph bound;
  const NeuronGraph other = product_of(3);
  ASSERT_TRUE((*program)->bind(other, bound));
  ASSERT_TRUE((*program)->run(bound));
  EXPECT_NEAR((*program)->outputs(bound)[0].value[0], 1, 1e-6);
  EXPECT_EQ((*program)->counts().kernels, kernels + 1);
  EXPECT_EQ((*program)->counts().interpreted, 0u);
  const EmulatedCalls before = *calls;
  ASSERT_TRUE((*program)->bind(other, bound));
  ASSERT_TRUE((*program)->run(bound));
  EXPECT_EQ(calls->modules, before.modules);
  EXPECT_EQ(calls->allocations, before.allocations);
}

}  // namespace
}  // namespace vecc::test
