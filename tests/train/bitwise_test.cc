// The same bits from run to run, and on the interpreter and the cpu backend for any number of
// threads: mutagenesis, and a graph convolution of MUTAG's size.
#include <cstdlib>
#include <map>

#include "tests/support/graph_builder.h"
#include "tests/support/random_source.h"
#include "tests/train/train_check.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kBitwiseEpochs = 100;

NeuronGraph mutagenesis() {
  NeuronGraph graph = value_of(
      read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb"));
  initialize_weights(graph, Initializer::Glorot, 1);
  return graph;
}

// 188 molecules of 18 atoms of 7 kinds in a ring with a few chords: two convolutions of 10
// dimensions, the mean of the atoms, a sigmoid. The target is whether an atom is of kind 0.
class Convolution {
 public:
  NeuronGraph build() {
    for (std::uint32_t kind = 0; kind < 7; ++kind) {
      std::vector<double> one_hot(7);
      one_hot[kind] = 1;
      kinds_.push_back(b_.fact(facts_, Shape::column(7), one_hot));
    }
    for (int molecule = 0; molecule < 188; ++molecule) add_molecule();
    NeuronGraph graph = b_.build();
    initialize_weights(graph, Initializer::Glorot, 1);
    return graph;
  }

 private:
  static constexpr std::uint32_t kAtoms = 18;

  void add_molecule() {
    std::vector<std::vector<std::uint32_t>> neighbours(kAtoms);
    const auto join = [&](std::uint32_t a, std::uint32_t c) {
      neighbours[a].push_back(c);
      neighbours[c].push_back(a);
    };
    for (std::uint32_t a = 0; a < kAtoms; ++a) join(a, (a + 1) % kAtoms);
    for (int i = 0; i < 3; ++i) join(random_.below(kAtoms), random_.below(kAtoms));
    std::vector<NeuronId> atoms;
    bool has_kind_0 = false;
    for (std::uint32_t a = 0; a < kAtoms; ++a) {
      const std::uint32_t kind = random_.chance(0.04) ? 0 : random_.between(1, 6);
      has_kind_0 |= kind == 0;
      atoms.push_back(kinds_[kind]);
    }
    for (const auto& [layer, weight] : layers_) {
      std::vector<NeuronId> next;
      for (const auto& near : neighbours) {
        GraphBuilder::Inputs inputs;
        for (const std::uint32_t a : near) inputs.push_back(atoms[a]);
        next.push_back(b_.neuron(layer, function(Combination::Sum, Transformation::Tanh), inputs,
                                 GraphBuilder::Weights(inputs.size(), weight)));
      }
      atoms = next;
    }
    const NeuronId pooled = b_.neuron(pool_, function(Combination::Avg), atoms);
    const NeuronId out =
        b_.neuron(output_, function(Combination::Sum, Transformation::Sigmoid), {pooled}, {last_});
    b_.sample(out, Shape(), {has_kind_0 ? 1.0 : 0.0});
  }

  GraphBuilder b_;
  RandomSource random_{1};
  GroupIndex facts_ = b_.group("kind", NeuronClass::Fact);
  std::vector<std::pair<GroupIndex, WeightId>> layers_ = {
      {b_.group("layer_1"), b_.weight("w1", Shape(10, 7), {})},
      {b_.group("layer_2"), b_.weight("w2", Shape(10, 10), {})}};
  GroupIndex pool_ = b_.group("pool");
  GroupIndex output_ = b_.group("output");
  WeightId last_ = b_.weight("w3", Shape(1, 10), {});
  std::vector<NeuronId> kinds_;
};

class BitwiseTraining : public testing::TestWithParam<std::string> {
 protected:
  BitwiseTraining()
      : graph_(GetParam() == "mutagenesis" ? mutagenesis() : Convolution().build()),
        program_(value_of(optimize(value_of(vectorize(graph_)).program))) {}

  // What the training is after so many epochs: weights, moments, position.
  [[nodiscard]] std::string train(const Backend& backend, std::uint32_t threads,
                                  std::uint32_t batch_size = 0,
                                  std::uint64_t epochs = kBitwiseEpochs) const {
    TrainOptions options;
    options.loss.loss = Loss::CrossEntropy;
    options.schedule.base = 0.01;
    options.batch_size = batch_size;
    ExecutionOptions execution;
    execution.device = device_of(backend);
    execution.threads = threads;
    std::vector<std::uint32_t> samples(graph_.samples.size());
    for (std::uint32_t s = 0; s < samples.size(); ++s) samples[s] = s;
    const auto trainer =
        value_of(make_trainer(graph_, program_, backend, execution, options, samples));
    for (std::uint64_t step = epochs * trainer->batch_count(); step > 0; --step) {
      expect_ok(trainer->step());
    }
    return value_of(safetensors_bytes(value_of(trainer->save())));
  }

  // Outputs and gradients of all parameters, by the cpu backend.
  [[nodiscard]] std::vector<double> run_forth_and_back(std::uint32_t threads) const {
    ExecutionOptions options;
    options.threads = threads;
    options.gradients = true;
    const auto executable = compile_on(*find_backend("cpu"), program_, options);
    expect_ok(executable->run());
    std::vector<double> all;
    for (const auto& output : value_of(executable->outputs())) {
      all.insert(all.end(), output.value.begin(), output.value.end());
    }
    expect_ok(executable->differentiate(std::vector<double>(all.size(), 1.0)));
    for (ParameterIndex p = 0; p < program_.parameters().size(); ++p) {
      const auto gradient = value_of(executable->gradient(p));
      all.insert(all.end(), gradient.begin(), gradient.end());
    }
    return all;
  }

  const NeuronGraph graph_;
  const Program program_;
};

TEST_P(BitwiseTraining, TheInterpreterHasTheSameBitsForAnyNumberOfThreads) {
  const Backend& interpreter = *find_backend("interpreter");
  const std::string weights = train(interpreter, 1);
  EXPECT_EQ(train(interpreter, 1), weights) << "another run";
  EXPECT_EQ(train(interpreter, 2), weights);
  EXPECT_EQ(train(interpreter, 7), weights);
  EXPECT_NE(train(interpreter, 1, 0, 1), weights);  // what is compared has changed
}

TEST_P(BitwiseTraining, TheInterpreterHasTheSameBitsInShuffledBatches) {
  const Backend& interpreter = *find_backend("interpreter");
  const std::string weights = train(interpreter, 1, 32, 3);
  EXPECT_EQ(train(interpreter, 1, 32, 3), weights);
  EXPECT_EQ(train(interpreter, 7, 32, 3), weights);
}

TEST_P(BitwiseTraining, TheCpuBackendHasTheSameBitsForAnyNumberOfThreads) {
  const Backend& cpu = *find_backend("cpu");
  const std::string weights = train(cpu, 1, 0, 20);
  EXPECT_EQ(train(cpu, 1, 0, 20), weights) << "another run";
  EXPECT_EQ(train(cpu, 2, 0, 20), weights);
  EXPECT_EQ(train(cpu, 7, 0, 20), weights);
  EXPECT_NE(train(cpu, 1, 0, 1), weights);
}

TEST_P(BitwiseTraining, TheCpuBackendHasTheSameBitsInShuffledBatches) {
  const Backend& cpu = *find_backend("cpu");
  EXPECT_EQ(train(cpu, 7, 32, 3), train(cpu, 1, 32, 3));
}

TEST_P(BitwiseTraining, TheCpuBackendsForwardAndBackwardPassHaveTheSameBits) {
  const std::vector<double> one = run_forth_and_back(1);
  EXPECT_EQ(run_forth_and_back(2), one);
  EXPECT_EQ(run_forth_and_back(7), one);
}

TEST_P(BitwiseTraining, CudaHasTheSameBitsFromRunToRun) {
  const Backend& cuda = *find_backend("cuda");
  if (!cuda.available(device_of(cuda))) GTEST_SKIP() << "no GPU";
  const std::string weights = train(cuda, 0, 0, 20);
  EXPECT_EQ(train(cuda, 0, 0, 20), weights);
  EXPECT_EQ(train(cuda, 0, 32, 3), train(cuda, 0, 32, 3));
  EXPECT_NE(train(cuda, 0, 0, 1), weights);
}

TEST_P(BitwiseTraining, TorchHasTheSameBitsFromRunToRun) {
  const Backend* const torch = find_backend("torch");
  if (torch == nullptr || !torch->available(device_of(*torch))) GTEST_SKIP() << "no torch";
  EXPECT_EQ(train(*torch, 2), train(*torch, 2));
}

INSTANTIATE_TEST_SUITE_P(Graphs, BitwiseTraining, testing::Values("mutagenesis", "convolution"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace vecc::test
