// What a batch costs beside its step: on the emulated GPU every call that takes time is counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "tests/cuda/emulator/find_calls.h"
#include "vecc/backend.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

struct Molecules {
  NeuronGraph graph =
      *read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb");
  Program program = *optimize(vectorize(graph)->program);
  std::vector<std::uint32_t> samples = std::vector<std::uint32_t>(graph.samples.size());

  Molecules() { std::iota(samples.begin(), samples.end(), 0u); }

  [[nodiscard]] Result<std::unique_ptr<Trainer>> train_on_gpu(const TrainOptions& options) const {
    ExecutionOptions execution;
    execution.device.kind = Device::Kind::Cuda;
    return make_trainer(graph, program, *find_backend("cuda"), execution, options, samples);
  }
};

TEST(BatchCalls, none_that_allocates_compiles_or_instantiates_after_the_first_batches) {
  const EmulatedCalls* const calls = emulated_calls();
  if (calls == nullptr) GTEST_SKIP() << "VECC_CUDA_DRIVER names no emulator";
  const Molecules molecules;
  struct CallsOf {
    std::uint32_t size;
    bool on_host;
    bool is_compact = false;
  };
  for (const auto& [size, on_host, is_compact] :
       {CallsOf{1, false}, {32, false}, {32, true}, {32, true, true}}) {
    TrainOptions options;
    options.batch_size = size;
    options.batch_side = on_host ? BatchSide::Host : BatchSide::Device;
    options.batch_values = is_compact ? BatchValues::Compact : BatchValues::Choose;
    const auto trainer = molecules.train_on_gpu(options);
    ASSERT_TRUE(trainer) << trainer.error().text();
    for (int step = 0; step < 2; ++step) ASSERT_TRUE((*trainer)->step());  // two memories
    const EmulatedCalls before = *calls;
    EXPECT_GT(before.graphs, 0u);
    for (int step = 0; step < 12; ++step) ASSERT_TRUE((*trainer)->step());
    EXPECT_EQ(calls->allocations, before.allocations);
    EXPECT_EQ(calls->graphs, before.graphs);
    EXPECT_EQ(calls->modules, before.modules);
    // Those of one sample come again, and are kept; the first one says how large all may be.
    const BatchCounts counts = (*trainer)->batch_counts();
    EXPECT_EQ(counts.on_device, size == 1 || on_host ? 0u : 13u);
    EXPECT_EQ(counts.on_host, size == 1 || on_host ? 14u : 1u);
  }
}

TEST(BatchCalls, none_after_the_first_steps_that_are_started_at_once) {
  const EmulatedCalls* const calls = emulated_calls();
  if (calls == nullptr) GTEST_SKIP() << "VECC_CUDA_DRIVER names no emulator";
  const Molecules molecules;
  TrainOptions options;
  options.batch_size = 1;
  options.shuffle = false;
  options.batch_way = BatchWay::Bind;
  const auto trainer = molecules.train_on_gpu(options);
  ASSERT_TRUE(trainer) << trainer.error().text();
  ASSERT_GT((*trainer)->steps_at_once(), 1u);
  ASSERT_TRUE((*trainer)->steps(2 * (*trainer)->steps_at_once()));  // two memories
  const EmulatedCalls before = *calls;
  ASSERT_TRUE((*trainer)->steps((*trainer)->batch_count()));
  EXPECT_EQ(calls->allocations, before.allocations);
  EXPECT_EQ(calls->graphs, before.graphs);
  EXPECT_EQ(calls->modules, before.modules);
}

}  // namespace
}  // namespace vecc::test
