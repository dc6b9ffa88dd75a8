// Twenty steps of training: every backend, at every level of optimization, in both dtypes, learns
// what the interpreter learns without any.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/train/train_check.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kTrainedSteps = 20;

std::string folder_of(const char* variable, const char* below) {
  return std::string(std::getenv(variable)) + below;
}

// What is shipped; with VECC_FULL NeuraLogic's dumps too, which the test convert_golden converts.
std::vector<std::string> graphs_to_train() {
  std::vector<std::string> folders{folder_of("VECC_SOURCE_DIR", "/datasets")};
  if (std::getenv("VECC_FULL") != nullptr) {
    folders.push_back(folder_of("VECC_BINARY_DIR", "/golden"));
  }
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".pb") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

Program program_of(const NeuronGraph& graph, DType dtype, std::uint32_t level) {
  VectorizeOptions vectorizing;
  vectorizing.dtype = dtype;
  OptimizeOptions optimizing;
  optimizing.level = level;
  return value_of(optimize(value_of(vectorize(graph, vectorizing)).program, optimizing));
}

// Every sample is to become a little larger than it is: a target of the right shape.
void set_targets(NeuronGraph& graph) {
  const Program program = program_of(graph, DType::F64, 0);
  const auto executable = compile_on(*find_backend("interpreter"), program);
  expect_ok(executable->run());
  const auto outputs = value_of(executable->outputs());
  graph.target_values.clear();
  for (std::size_t s = 0; s < graph.samples.size(); ++s) {
    Sample& sample = graph.samples[s];
    sample.has_target = true;
    sample.target_shape = outputs[s].shape;
    sample.target_begin = graph.target_values.size();
    for (const double value : outputs[s].value) graph.target_values.push_back(value + 0.1);
  }
}

using Weights = std::map<std::string, std::vector<double>>;

Weights weights_after(const NeuronGraph& graph, const Backend& backend, DType dtype,
                      std::uint32_t level) {
  const Program program = program_of(graph, dtype, level);
  TrainOptions options;
  options.loss.loss = Loss::SquaredDiff;
  options.optimizer.optimizer = Optimizer::Sgd;  // Adam turns rounding of a zero into a step
  options.optimizer.momentum = 0.5;
  options.schedule.base = 0.01;
  options.optimize.level = level;
  ExecutionOptions execution;
  execution.device = device_of(backend);
  std::vector<std::uint32_t> samples(graph.samples.size());
  for (std::uint32_t s = 0; s < samples.size(); ++s) samples[s] = s;
  const auto trainer = value_of(make_trainer(graph, program, backend, execution, options, samples));
  const auto epochs = value_of(trainer->epochs(kTrainedSteps));
  EXPECT_EQ(epochs.size(), kTrainedSteps);
  NeuronGraph learned = graph;
  expect_ok(trainer->copy_weights_to(learned));
  Weights weights;
  for (const WeightTable& table : learned.weight_tables) {
    if (table.learnable) weights[table.name] = table.values.doubles();
  }
  return weights;
}

class TrainingLevels : public testing::TestWithParam<std::string> {};

TEST_P(TrainingLevels, LearnTheSame) {
  NeuronGraph graph = value_of(read_graph(GetParam()));
  if (std::ranges::none_of(graph.weight_tables, &WeightTable::learnable)) {
    GTEST_SKIP() << "nothing to learn";
  }
  initialize_weights(graph, Initializer::Glorot, 1);
  set_targets(graph);
  const Weights expected = weights_after(graph, *find_backend("interpreter"), DType::F64, 0);
  on_each_backend([&](const Backend& backend) {
    for (const std::uint32_t level : {0u, 1u, 2u}) {
      for (const DType dtype : {DType::F64, DType::F32}) {
        SCOPED_TRACE("-O" + std::to_string(level) + " " + std::string(text_of(dtype)));
        for (const auto& [name, values] : weights_after(graph, backend, dtype, level)) {
          SCOPED_TRACE(name);
          expect_near(values, expected.at(name), dtype == DType::F64 ? 1e-9 : 1e-4);
        }
      }
    }
  });
}

std::string name_of(const testing::TestParamInfo<std::string>& test) {
  std::string name = std::filesystem::path(test.param).stem();
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Graphs, TrainingLevels, testing::ValuesIn(graphs_to_train()), name_of);

// A series of epochs is its steps, bit by bit, whatever it is cut into.
TEST(TrainingSeries, IsItsSteps) {
  NeuronGraph graph =
      value_of(read_graph(folder_of("VECC_SOURCE_DIR", "/datasets/mutagenesis.pb")));
  initialize_weights(graph, Initializer::Glorot, 1);
  const Program program = program_of(graph, DType::F32, 2);
  std::vector<std::uint32_t> samples(graph.samples.size());
  for (std::uint32_t s = 0; s < samples.size(); ++s) samples[s] = s;
  on_each_backend([&](const Backend& backend) {
    ExecutionOptions execution;
    execution.device = device_of(backend);
    TrainOptions options;
    options.schedule = {.kind = RateSchedule::Kind::Step, .base = 0.01, .period = 3, .factor = 0.5};
    const auto make = [&] {
      return value_of(make_trainer(graph, program, backend, execution, options, samples));
    };
    const auto by_steps = make();
    const auto in_series = make();
    std::vector<TrainedEpoch> expected;
    for (int epoch = 0; epoch < 9; ++epoch) {
      expect_ok(by_steps->step());
      expected.push_back({by_steps->rate(), value_of(by_steps->epoch_loss())});
    }
    std::vector<TrainedEpoch> found;
    for (const std::uint32_t count : {1u, 5u, 3u}) {
      for (const TrainedEpoch& epoch : value_of(in_series->epochs(count))) found.push_back(epoch);
    }
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t e = 0; e < found.size(); ++e) {
      EXPECT_EQ(found[e].loss, expected[e].loss) << "epoch " << e;
      EXPECT_EQ(found[e].rate, expected[e].rate) << "epoch " << e;
    }
    EXPECT_EQ(value_of(safetensors_bytes(value_of(in_series->save()))),
              value_of(safetensors_bytes(value_of(by_steps->save()))));
  });
}

}  // namespace
}  // namespace vecc::test
