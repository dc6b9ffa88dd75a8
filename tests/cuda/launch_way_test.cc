// Kernels that are started one after another: the same bits as graphs, of outputs, gradients and
// trainings. On a GPU, or on a host's emulation of one.
#include "backends/cuda/launch_way.h"

#include <gtest/gtest.h>

#include <vector>

#include "backends/cuda/cuda_backend.h"
#include "tests/support/deep_graphs.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

using cuda::choose_launch_way;
using cuda::LaunchWay;

const LaunchTimes kTimes = default_gpu().launches;
const Device kGpu{Device::Kind::Cuda, 0};

TEST(LaunchWay, ManyLaunchesThatRunAFewTimesAreNoGraph) {
  EXPECT_EQ(choose_launch_way(100'000, 1, kTimes), LaunchWay::Stream);
  EXPECT_EQ(choose_launch_way(100'000, 2, kTimes), LaunchWay::Stream);
  EXPECT_EQ(choose_launch_way(100'000, 100, kTimes), LaunchWay::Graph);
  EXPECT_EQ(choose_launch_way(100'000, 0, kTimes), LaunchWay::Graph) << "often";
  EXPECT_EQ(choose_launch_way(100, 1, kTimes), LaunchWay::Graph);
  LaunchTimes slow_to_make = kTimes;
  slow_to_make.graph_runs = 200;
  EXPECT_EQ(choose_launch_way(100'000, 100, slow_to_make), LaunchWay::Stream);
}

struct DeepGraph {
  NeuronGraph (*make)(std::uint32_t);
  std::uint32_t depth;  // of hundreds of launches
};

class LaunchWays : public testing::TestWithParam<DeepGraph> {
 protected:
  void SetUp() override {
    if (const auto there = cuda_backend().available(kGpu); !there) {
      GTEST_SKIP() << there.error().text();
    }
  }
};

ExecutionOptions execution_of(std::uint64_t runs) {
  return {.device = kGpu, .expected_runs = runs};
}

// Outputs, then gradients.
std::vector<std::vector<double>> results(const Program& program, std::uint64_t runs) {
  ExecutionOptions options = execution_of(runs);
  options.gradients = true;
  const auto executable = *cuda_backend().compile(program, options);
  std::vector<std::vector<double>> all;
  for (int run = 0; run < 2; ++run) {
    EXPECT_TRUE(executable->run());
    std::size_t elements = 0;
    for (const Executable::Output& output : *executable->outputs()) {
      elements += output.value.size();
      all.push_back(output.value);
    }
    EXPECT_TRUE(executable->differentiate(std::vector<double>(elements, 1.0)));
    for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
      all.push_back(*executable->gradient(p));
    }
  }
  return all;
}

TEST_P(LaunchWays, OutputsAndGradientsAreTheSameBits) {
  const auto vectorized = vectorize(GetParam().make(GetParam().depth));
  ASSERT_TRUE(vectorized);
  const auto program = optimize(vectorized->program);
  ASSERT_TRUE(program);
  EXPECT_EQ(results(*program, 1), results(*program, 0));
}

TEST_P(LaunchWays, TrainingsAreTheSameBits) {
  NeuronGraph graph = GetParam().make(GetParam().depth);
  for (Sample& sample : graph.samples) {
    sample.has_target = true;
    sample.target_shape = Shape::scalar();
    sample.target_begin = graph.target_values.size();
    graph.target_values.push_back(0.3);
  }
  const auto vectorized = vectorize(graph);
  ASSERT_TRUE(vectorized);
  std::vector<std::uint32_t> samples(graph.samples.size());
  for (std::uint32_t s = 0; s < samples.size(); ++s) samples[s] = s;
  std::vector<WeightFile> learned;
  for (const std::uint64_t runs : {2, 0}) {
    const auto trainer = make_trainer(graph, vectorized->program, cuda_backend(),
                                      execution_of(runs), TrainOptions(), samples);
    ASSERT_TRUE(trainer) << trainer.error().text();
    ASSERT_TRUE((*trainer)->epochs(2));
    learned.push_back(*(*trainer)->save());
  }
  ASSERT_EQ(learned[0].tensors.size(), learned[1].tensors.size());
  for (std::size_t t = 0; t < learned[0].tensors.size(); ++t) {
    EXPECT_EQ(learned[0].tensors[t].data, learned[1].tensors[t].data);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, LaunchWays,
                         testing::Values(DeepGraph{&chain_of_weights, 3000},
                                         DeepGraph{&chain_of_groups, 3000},
                                         DeepGraph{&skipping_rows, 300}));

}  // namespace
}  // namespace vecc::test
