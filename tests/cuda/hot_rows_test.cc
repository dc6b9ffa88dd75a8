// Tables in the host's memory whose most read rows are on the GPU: the bits are those of any other
// place. On a GPU, or on a host's emulation of one.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/split_memory.h"
#include "tests/cuda/compiled_batches.h"
#include "tests/cuda/emulator/find_calls.h"
#include "tests/cuda/network_of_features.h"
#include "tests/support/graph_builder.h"
#include "vecc/fanout.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// 0 without a GPU.
std::uint64_t page_of_gpu() {
  const auto device = cuda::Device::open(0);
  if (!device || !cuda_backend().available(kTestedGpu)) return 0;
  (*device)->use();
  return cuda::SplitMemory::page_bytes(**device);
}

// What runs with each of many budgets gives the same numbers; `run` returns none where a budget is
// too small. How many bytes were on the GPU as hot rows, in all ways that there were.
template <class Run>
std::set<std::uint64_t> expect_same_numbers(std::uint64_t from, std::uint64_t to,
                                            std::uint64_t step, const Run& run) {
  const EmulatedCalls* const calls = emulated_calls();
  const std::optional<std::vector<double>> expected = run(0);
  std::set<std::uint64_t> hot;
  for (std::uint64_t bytes = from; bytes <= to; bytes += step) {
    SCOPED_TRACE("a budget of " + std::to_string(bytes));
    const std::uint64_t before = calls == nullptr ? 0 : calls->mapped_bytes;
    const std::optional<std::vector<double>> numbers = run(bytes);
    if (!numbers) continue;
    EXPECT_EQ(*numbers, *expected);
    hot.insert(calls == nullptr ? 0 : calls->mapped_bytes - before);
  }
  return hot;
}

class SplitMemoryOn : public testing::Test {
 protected:
  void SetUp() override {
    page = page_of_gpu();
    if (page == 0) GTEST_SKIP() << "no GPU that maps memory";
  }
  std::uint64_t page = 0;
};

TEST_F(SplitMemoryOn, is_one_range_of_addresses) {
  const auto device = *cuda::Device::open(0);
  device->use();
  const cuda::SplitMemory memory(device, 2 * page, page + 100);
  std::vector<std::uint32_t> numbers((3 * page + 100) / sizeof(std::uint32_t));
  std::vector<std::uint32_t> read(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 1u);
  memory.write(0, numbers.data(), 2 * page - 4);                  // one side,
  memory.write(2 * page - 4, &numbers[page / 2 - 1], 8);          // both,
  memory.write(2 * page + 4, &numbers[page / 2 + 1], page + 96);  // the other
  memory.read(0, read.data(), read.size() * sizeof(std::uint32_t));
  EXPECT_EQ(read, numbers);
  memory.read(2 * page - 8, read.data(), 16);
  EXPECT_EQ((std::vector<std::uint32_t>(read.begin(), read.begin() + 4)),
            (std::vector<std::uint32_t>(numbers.begin() + static_cast<long>(page / 2 - 2),
                                        numbers.begin() + static_cast<long>(page / 2 + 2))));
}

// Row by row, by a list, through a sum; and by members, for the gradient.
Program program_of_rows(std::uint32_t width) {
  constexpr std::uint32_t kRows = 96;
  Program program;
  program.set_sample_count(40);
  std::vector<double> values(std::size_t{kRows} * width);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(0.37 * static_cast<double>(i));
  const ValueId rows = program.fact(std::move(values), kRows, Shape::column(width), Note("rows"));
  const ValueId factor = program.weight(
      *program.add_parameter({"w", 1, Shape::column(width), SharedNumbers::repeated(width, 0.75)}));
  std::vector<std::uint32_t> read;
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t s = 0; s < 40; ++s) {
    for (std::uint32_t m = 0; m < s % 9; ++m) read.push_back((s * s + 7 * m * m) % 31 * 3);
    offsets.push_back(static_cast<std::uint32_t>(read.size()));
  }
  const ValueId sums = program.segment(program.gather(rows, Index::list(std::move(read))),
                                       Segments::ragged(std::move(offsets)), Combination::Avg);
  const ValueId both[] = {rows,
                          program.gather(factor, Index::list(std::vector<std::uint32_t>(kRows)))};
  const ValueId products = program.map(*parse_expr("elproduct($0, $1)", "test"), both);
  std::vector<std::uint32_t> of_products(40);
  for (std::uint32_t s = 0; s < 40; ++s) of_products[s] = s * 5 % kRows;
  std::vector<std::uint32_t> alone(40);  // row by row, by an array
  for (std::uint32_t s = 0; s < 40; ++s) alone[s] = s * 29 % kRows;
  const ValueId read_alone =
      program.map(*parse_expr("tanh($0)", "test"),
                  std::array{program.gather(rows, Index::list(std::move(alone)))});
  const ValueId own[] = {sums, program.gather(products, Index::list(std::move(of_products))),
                         read_alone};
  program.output(program.map(*parse_expr("sum($0, $1, $2)", "test"), own), Index::slice(0, 40));
  return program;
}

TEST_F(SplitMemoryOn, outputs_gradients_and_facts_are_the_same) {
  const auto width = static_cast<std::uint32_t>(page / 32);  // twelve pages of f32
  const Program program = program_of_rows(width);
  const auto run = [&](std::uint64_t bytes) -> std::optional<std::vector<double>> {
    ExecutionOptions options;
    options.device = kTestedGpu;
    options.gradients = true;
    options.places.device_bytes = bytes;
    const auto compiled = cuda_backend().compile(program, options);
    if (!compiled) return std::nullopt;
    Executable& executable = **compiled;
    EXPECT_TRUE(executable.run());
    EXPECT_TRUE(executable.differentiate_sum());
    std::vector<double> numbers = *executable.gradient(0);
    const auto outputs = executable.outputs();
    for (const auto& output : *outputs) {
      numbers.insert(numbers.end(), output.value.begin(), output.value.end());
    }
    const std::vector<double> fact = *executable.read(0);
    numbers.insert(numbers.end(), fact.begin(), fact.end());
    return numbers;
  };
  const auto hot = expect_same_numbers(page, 96 * page, page, run);
  if (emulated_calls() == nullptr) return;
  EXPECT_GE(hot.size(), 3u);  // none, and some pages
  EXPECT_TRUE(hot.contains(0));
  EXPECT_TRUE(hot.contains(page));
}

std::optional<std::vector<double>> train_in(std::uint64_t bytes, const NeuronGraph& graph,
                                            const TrainOptions& options) {
  ExecutionOptions execution;
  execution.places.device_bytes = bytes;
  return train_some_steps(graph, options, std::move(execution));
}

class HotRowsOfATraining : public SplitMemoryOn {
 protected:
  // The features are some pages of the emulator's and a part.
  void SetUp() override {
    SplitMemoryOn::SetUp();
    if (page > 4096) GTEST_SKIP() << "the emulator's pages are small";
  }
  void expect_same(const NeuronGraph& graph, const TrainOptions& options) const {
    const auto hot = expect_same_numbers(4 * page, 34 * page, 2 * page, [&](std::uint64_t bytes) {
      return train_in(bytes, graph, options);
    });
    EXPECT_GE(hot.size(), 3u);
  }
};

TEST_F(HotRowsOfATraining, steps_of_all_samples_have_the_same_bits) {
  TrainOptions options;
  options.optimizer.optimizer = Optimizer::Adam;
  expect_same(network_of_features(200, 64), options);
}

TEST_F(HotRowsOfATraining, steps_of_batches_have_the_same_bits) {
  TrainOptions options;
  options.optimizer.optimizer = Optimizer::Adam;
  options.batch_size = 9;
  expect_same(network_of_features(200, 64), options);
}

TEST_F(HotRowsOfATraining, batches_that_are_made_on_the_gpu_have_the_same_bits) {
  const NeuronGraph graph = network_of_features(200, 40);
  const auto run = [&](std::uint64_t bytes) -> std::optional<std::vector<double>> {
    const CompiledBatches compiled = compile_batches(
        graph, true, DType::F32, BatchOptions().image_bytes, /*batches_again=*/0, bytes);
    if (compiled.executable == nullptr) return std::nullopt;
    std::mt19937 random(5);
    std::unique_ptr<BoundBatch> bound;
    for (int step = 0; step < 6; ++step) {
      const Batch batch = random_batch(compiled.made, 9, random);
      EXPECT_TRUE(compiled.executable->bind_batch(batch, bound));
      EXPECT_TRUE(compiled.executable->start_batch(*bound));
    }
    EXPECT_GT(compiled.executable->batch_counts().on_device, 3u);
    std::vector<double> numbers;
    for (ParameterIndex p = 0; p < compiled.made.step.program.parameters().size(); ++p) {
      const std::vector<double> values = *compiled.executable->parameter(p);
      numbers.insert(numbers.end(), values.begin(), values.end());
    }
    return numbers;
  };
  EXPECT_GE(expect_same_numbers(4 * page, 20 * page, page, run).size(), 3u);
}

TEST_F(HotRowsOfATraining, rows_that_the_driver_does_not_map_are_on_the_host) {
  const NeuronGraph graph = network_of_features(200, 16);
  TrainOptions options;
  options.optimizer.optimizer = Optimizer::Adam;
  ::setenv("VECC_EMULATED_NO_MAPS", "1", 1);
  const auto hot = expect_same_numbers(7 * page, 9 * page, page, [&](std::uint64_t bytes) {
    return train_in(bytes, graph, options);
  });
  ::unsetenv("VECC_EMULATED_NO_MAPS");
  EXPECT_EQ(hot, std::set<std::uint64_t>{0});
}

TEST_F(HotRowsOfATraining, steps_of_sampled_members_have_the_same_bits) {
  TrainOptions options;
  options.optimizer.optimizer = Optimizer::Adam;
  options.batch_size = 9;
  const auto sampled = sample_members(network_of_features(200, 64), {{3, 2}, false});
  ASSERT_TRUE(sampled);
  options.members = std::make_shared<const SampledMembers>(sampled->members);
  expect_same(sampled->graph, options);
}

}  // namespace
}  // namespace vecc::test
