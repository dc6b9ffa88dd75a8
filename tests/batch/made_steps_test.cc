// Steps of batches that are made on a GPU have the bits of those that are bound on the host.
#include <gtest/gtest.h>

#include "tests/batch/tested_backend.h"
#include "vecc/backend.h"
#include "vecc/fanout.h"
#include "vecc/graph_io.h"
#include "vecc/train.h"

namespace vecc::test {
namespace {

class MadeSteps : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_cuda()) GTEST_SKIP() << "VECC_TEST_DEVICE names no GPU";
  }
};

struct ShippedModel {
  NeuronGraph graph;
  Program program;

  explicit ShippedModel(const char* name, DType dtype = DType::F32)
      : ShippedModel(value_of(read_graph(shipped(name))), dtype) {}
  ShippedModel(NeuronGraph of, DType dtype) : graph(std::move(of)) {
    VectorizeOptions options;
    options.dtype = dtype;
    program = value_of(optimize(value_of(vectorize(graph, options)).program));
  }
  [[nodiscard]] std::unique_ptr<Trainer> trainer(TrainOptions options, bool on_host) const {
    options.batch_side = on_host ? BatchSide::Host : BatchSide::Device;
    options.batch_way = BatchWay::Bind;
    return value_of(make_trainer(graph, program, tested_backend(), tested_options(), options,
                                 all_samples(graph)));
  }
};

TrainOptions options_of(std::uint32_t size, Optimizer optimizer) {
  TrainOptions options;
  options.batch_size = size;
  options.schedule.base = 0.01;
  options.optimizer.optimizer = optimizer;
  options.seed = 7;
  return options;
}

std::vector<std::vector<double>> all_numbers(Trainer& trainer) {
  std::vector<std::vector<double>> numbers;
  for (const WeightTensor& tensor : value_of(trainer.save()).tensors) {
    numbers.push_back(values_of(tensor));
  }
  numbers.push_back({value_of(trainer.epoch_loss())});
  return numbers;
}

void run_steps(Trainer& trainer, int count) {
  for (int step = 0; step < count; ++step) {
    const auto done = trainer.step();
    ASSERT_TRUE(done) << done.error().text();
  }
}

TEST_F(MadeSteps, have_the_bits_of_those_of_the_host) {
  for (const char* name : {"mutagenesis.pb", "attention.pb"}) {
    for (const Optimizer optimizer : {Optimizer::Adam, Optimizer::Sgd}) {
      SCOPED_TRACE(std::string(name) + (optimizer == Optimizer::Sgd ? " sgd" : " adam"));
      const ShippedModel model(name, optimizer == Optimizer::Sgd ? DType::F64 : DType::F32);
      const TrainOptions options =
          options_of(std::min<std::uint32_t>(
                         16, static_cast<std::uint32_t>(model.graph.samples.size() / 2 + 1)),
                     optimizer);
      const auto on_host = model.trainer(options, true);
      const auto on_device = model.trainer(options, false);
      for (int step = 0; step < 20; ++step) {
        run_steps(*on_host, 1);
        run_steps(*on_device, 1);
        ASSERT_EQ(all_numbers(*on_device), all_numbers(*on_host)) << step;
      }
      EXPECT_EQ(on_host->batch_counts().on_device, 0u);
      EXPECT_EQ(on_device->batch_counts().on_device, 19u);
    }
  }
}

// What they reach is searched for on the device: other members each time.
TEST_F(MadeSteps, of_drawn_members_have_the_bits_of_those_of_the_host) {
  for (const char* name : {"mutagenesis.pb", "attention.pb"}) {
    SCOPED_TRACE(name);
    SampledGraph sampled =
        value_of(sample_members(value_of(read_graph(shipped(name))), {{2, 1}, false}));
    ASSERT_FALSE(sampled.members.ranges.empty());
    TrainOptions options = options_of(3, Optimizer::Adam);
    sampled.members.seed = options.seed;
    options.members = std::make_shared<const SampledMembers>(std::move(sampled.members));
    const ShippedModel model(std::move(sampled.graph), DType::F64);
    const auto on_host = model.trainer(options, true);
    const auto on_device = model.trainer(options, false);
    for (int step = 0; step < 12; ++step) {
      run_steps(*on_host, 1);
      run_steps(*on_device, 1);
      ASSERT_EQ(all_numbers(*on_device), all_numbers(*on_host)) << step;
    }
    EXPECT_EQ(on_host->batch_counts().on_device, 0u);
    EXPECT_EQ(on_device->batch_counts().on_device, 11u);
  }
}

// Samples without a target are in no batch, wherever that is made.
TEST_F(MadeSteps, have_the_samples_with_a_target) {
  NeuronGraph graph = value_of(read_graph(shipped("mutagenesis.pb")));
  for (std::size_t s = 0; s < graph.samples.size(); ++s) graph.samples[s].has_target = s % 3 == 0;
  const ShippedModel model(std::move(graph), DType::F32);
  const TrainOptions options = options_of(16, Optimizer::Adam);
  const auto on_host = model.trainer(options, true);
  const auto on_device = model.trainer(options, false);
  EXPECT_EQ(on_device->batch_count(), 4u);  // of 63 samples
  for (int step = 0; step < 9; ++step) {
    run_steps(*on_host, 1);
    run_steps(*on_device, 1);
    ASSERT_EQ(all_numbers(*on_device), all_numbers(*on_host)) << step;
  }
  EXPECT_EQ(on_device->batch_counts().on_device, 8u);
}

TEST_F(MadeSteps, go_on_within_an_epoch) {
  const ShippedModel model("mutagenesis.pb");
  const TrainOptions options = options_of(32, Optimizer::Adam);
  const auto whole = model.trainer(options, true);
  ASSERT_GT(whole->batch_count(), 4u);
  run_steps(*whole, 15);
  const auto first = model.trainer(options, false);
  run_steps(*first, 8);
  ASSERT_NE(first->position().batch, first->batch_count());
  const auto second = model.trainer(options, false);
  ASSERT_TRUE(second->restore(value_of(first->save())));
  run_steps(*second, 7);
  EXPECT_EQ(all_numbers(*second), all_numbers(*whole));
  EXPECT_EQ(second->batch_counts().on_device, 6u);
}

// Rows of a batch that is made on the device are found where they are asked for.
TEST_F(MadeSteps, are_reported_as_those_of_the_host) {
  const ShippedModel model("mutagenesis.pb");
  const auto on_host = model.trainer(options_of(16, Optimizer::Adam), true);
  const auto on_device = model.trainer(options_of(16, Optimizer::Adam), false);
  for (Trainer* const trainer : {on_host.get(), on_device.get()}) run_steps(*trainer, 3);
  const BatchReport expected = value_of(on_host->batch_report());
  const BatchReport found = value_of(on_device->batch_report());
  EXPECT_EQ(found.way, "bind");
  EXPECT_EQ(found.bytes.values, expected.bytes.values);
  EXPECT_EQ(found.bytes.arrays, expected.bytes.arrays);
  EXPECT_GT(found.step_bytes, expected.step_bytes);  // tables
  EXPECT_EQ(on_host->batch_counts().on_host, 3u);
  EXPECT_EQ(on_device->batch_counts().on_device, 2u);
}

}  // namespace
}  // namespace vecc::test
