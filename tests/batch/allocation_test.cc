// A batch that is bound and run takes no memory: every operator new of the process is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <random>

#include "src/train/step_program.h"
#include "tests/support/sanitized.h"
#include "vecc/backend.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

#if !defined(VECC_IS_SANITIZED)
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#endif

namespace vecc::test {
namespace {

// The step of all samples of a shipped graph.
training::BatchStepProgram step_of(const std::string& name) {
  const NeuronGraph graph =
      *read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/" + name);
  Program forward = *optimize(vectorize(graph)->program);
  std::vector<std::uint32_t> samples(forward.sample_count());
  std::iota(samples.begin(), samples.end(), 0u);
  auto made = training::make_batch_step_program(graph, std::move(forward), samples, {});
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

std::unique_ptr<Executable> compile(const training::BatchStepProgram& made, bool binds = true) {
  ExecutionOptions options;
  options.threads = 1;
  options.own_parameters = made.step.own_parameters;
  if (binds) options.batch = std::make_shared<const BatchOptions>(made.batch);
  auto compiled = find_backend("cpu")->compile(made.step.program, options);
  EXPECT_TRUE(compiled) << compiled.error().text();
  return std::move(*compiled);
}

// `count` samples as a batch of the step.
Batch batch_of(const training::BatchStepProgram& made, std::uint32_t count, std::mt19937& random) {
  std::vector<std::uint32_t> samples(made.rows.size());
  std::iota(samples.begin(), samples.end(), 0u);
  std::shuffle(samples.begin(), samples.end(), random);
  samples.resize(count);
  Batch batch;
  batch.weights.resize(made.batch.weights.size());
  for (const std::uint32_t s : samples) {
    batch.weights[made.rows[s].output].rows.push_back(made.rows[s].row);
  }
  for (Batch::Weights& weights : batch.weights) {
    std::ranges::sort(weights.rows);
    weights.values.assign(weights.rows.size(), 1.0 / count);
  }
  return batch;
}

class StepAllocation : public ::testing::TestWithParam<BatchValues> {};

TEST_P(StepAllocation, none_after_the_first) {
  if (test::kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  training::BatchStepProgram made = step_of("mutagenesis.pb");
  made.batch.values = GetParam();
  const std::unique_ptr<Executable> executable = compile(made);
  std::mt19937 random(1);
  std::vector<Batch> batches;
  for (int i = 0; i < 20; ++i) batches.push_back(batch_of(made, 32, random));
  std::unique_ptr<BoundBatch> bound;
  ASSERT_TRUE(executable->bind_batch(batches[0], bound));
  ASSERT_TRUE(executable->start_batch(*bound));
  const std::uint64_t before = allocations;
  bool runs = true;
  for (const Batch& batch : batches) {
    runs = runs && executable->bind_batch(batch, bound) && executable->start_batch(*bound);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(runs);
}

INSTANTIATE_TEST_SUITE_P(Values, StepAllocation,
                         ::testing::Values(BatchValues::Spread, BatchValues::Compact),
                         [](const auto& tested) {
                           return tested.param == BatchValues::Spread ? "spread" : "compact";
                         });

TEST(BatchAllocation, none_after_the_first_forward_batch) {
  if (test::kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  const NeuronGraph graph =
      *read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb");
  const Program program = *optimize(vectorize(graph)->program);
  ExecutionOptions options;
  options.threads = 1;
  BatchOptions batches;
  batches.computes_outputs = true;
  options.batch = std::make_shared<const BatchOptions>(batches);
  const std::unique_ptr<Executable> executable = *find_backend("cpu")->compile(program, options);
  constexpr std::uint32_t kSize = 16;
  std::vector<float> outputs(kSize);
  Batch batch;
  batch.samples.resize(kSize);
  std::unique_ptr<BoundBatch> bound;
  const auto runs = [&](std::uint32_t first) {
    std::iota(batch.samples.begin(), batch.samples.end(), first);
    return executable->bind_batch(batch, bound) && executable->start_batch(*bound) &&
           executable->copy_outputs(std::span(outputs));
  };
  ASSERT_TRUE(runs(0));
  const std::uint64_t before = allocations;
  bool all_run = true;
  for (std::uint32_t first = kSize; first + kSize <= program.sample_count(); first += kSize) {
    all_run = all_run && runs(first);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(all_run);
}

TEST(BatchAllocation, what_is_no_batch_is_refused) {
  const training::BatchStepProgram made = step_of("xor.pb");
  const std::unique_ptr<Executable> plain = compile(made, /*binds=*/false);
  const std::unique_ptr<Executable> compiled = compile(made);
  std::unique_ptr<BoundBatch> bound;
  const Batch one{{{{0}, {1.0}}}, {}};
  EXPECT_FALSE(plain->bind_batch(one, bound));
  EXPECT_FALSE(compiled->run());
  EXPECT_FALSE(compiled->timed_run());
  EXPECT_FALSE(compiled->profile());
  EXPECT_FALSE(compiled->outputs());
  EXPECT_FALSE(compiled->bind_batch({{{{1, 1}, {1, 1}}}, {}}, bound));
  EXPECT_FALSE(compiled->bind_batch({{{{0, 1000}, {1, 1}}}, {}}, bound));
  EXPECT_FALSE(compiled->bind_batch({{{{0}, {}}}, {}}, bound));
  EXPECT_FALSE(compiled->bind_batch({}, bound));
  ASSERT_TRUE(compiled->bind_batch(one, bound));
  EXPECT_TRUE(compiled->start_batch(*bound));
  EXPECT_FALSE(plain->start_batch(*bound));
  // Another executable's batch has rows of another plan.
  const std::unique_ptr<Executable> other = compile(made);
  EXPECT_FALSE(other->start_batch(*bound));
  ASSERT_TRUE(other->bind_batch(one, bound));
  EXPECT_TRUE(other->start_batch(*bound));
  EXPECT_FALSE(compiled->start_batch(*bound));
}

}  // namespace
}  // namespace vecc::test
