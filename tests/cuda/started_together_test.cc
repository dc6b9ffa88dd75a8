// Steps of several batches that are started together.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "backends/cuda/batch_slot.h"
#include "backends/cuda/cuda_backend.h"
#include "tests/cuda/compiled_batches.h"

namespace vecc::test {
namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

// Launches 0 and 1 wait for nothing; nothing waits for 2 and 3.
TEST(RepeatInTurn, what_waits_for_nothing_waits_for_the_ends_of_the_one_before) {
  const Lists before{{}, {}, {0}, {0, 1}};
  EXPECT_EQ(cuda::repeat_in_turn(before, 1), before);
  EXPECT_EQ(cuda::repeat_in_turn(before, 3), (Lists{{},
                                                    {},
                                                    {0},
                                                    {0, 1},  // the first
                                                    {2, 3},
                                                    {2, 3},
                                                    {4},
                                                    {4, 5},  // the second
                                                    {6, 7},
                                                    {6, 7},
                                                    {8},
                                                    {8, 9}}));
}

TEST(StepsOfAGraph, take_few_starts) {
  EXPECT_EQ(cuda::count_steps_at_once(/*batches=*/0, /*most=*/12), 1u);
  EXPECT_EQ(cuda::count_steps_at_once(1, 12), 1u);
  EXPECT_EQ(cuda::count_steps_at_once(188, 0), 1u);
  EXPECT_EQ(cuda::count_steps_at_once(188, 12), 11u);   // 17 times, and one
  EXPECT_EQ(cuda::count_steps_at_once(1113, 12), 12u);  // 92 times, and nine
  EXPECT_EQ(cuda::count_steps_at_once(188, 3), 3u);
  EXPECT_EQ(cuda::count_steps_at_once(10, 16), 10u);  // all
}

class StartedTogether : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto gpu = cuda_backend().available(kTestedGpu); !gpu) {
      GTEST_SKIP() << gpu.error().list().front().message;
    }
  }
};

std::vector<std::vector<double>> parameters_of(const CompiledBatches& compiled) {
  std::vector<std::vector<double>> all;
  for (ParameterIndex p = 0; p < compiled.made.step.program.parameters().size(); ++p) {
    all.push_back(*compiled.executable->parameter(p));
  }
  return all;
}

// Batches of any size, also such as have room only alone, or not even that at first.
TEST_F(StartedTogether, steps_have_the_bits_of_steps_one_by_one) {
  const NeuronGraph graph = graph_of_file("mutagenesis.pb");
  for (const std::uint64_t image_bytes : {std::uint64_t{8} << 10, BatchOptions().image_bytes}) {
    SCOPED_TRACE(image_bytes);
    const CompiledBatches together =
        compile_batches(graph, true, DType::F32, image_bytes, /*batches_again=*/12);
    const CompiledBatches alone =
        compile_batches(graph, true, DType::F32, image_bytes, /*batches_again=*/0);
    EXPECT_GT(together.executable->batches_at_once(), 2u);
    EXPECT_EQ(alone.executable->batches_at_once(), 1u);
    std::mt19937 random(3);
    std::vector<std::unique_ptr<BoundBatch>> bound;
    std::vector<Executable::BatchStart> starts;
    for (const std::uint64_t size : {1, 2, 1, 1, 150, 1, 1, 60, 60, 0, 1, 1, 1}) {
      const Batch batch = random_batch(together.made, size, random);
      ASSERT_TRUE(together.executable->bind_batch(batch, bound.emplace_back()));
      starts.push_back({bound.back().get(), {}});
      std::unique_ptr<BoundBatch> same;
      ASSERT_TRUE(alone.runner().bind_batch(batch, same, /*on_host=*/true));
      ASSERT_TRUE(alone.executable->start_batch(*same));
    }
    const auto before = parameters_of(together);
    ASSERT_TRUE(together.executable->start_batches(starts));
    EXPECT_EQ(parameters_of(together), parameters_of(alone));
    EXPECT_NE(parameters_of(together), before);
    EXPECT_EQ(together.executable->batch_counts().on_host, 13u);
  }
}

}  // namespace
}  // namespace vecc::test
