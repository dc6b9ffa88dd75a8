// Steps that are started several at once have the bits of steps that are started one by one.
#include <gtest/gtest.h>

#include "tests/batch/tested_backend.h"
#include "vecc/backend.h"
#include "vecc/graph_io.h"
#include "vecc/train.h"

namespace vecc::test {
namespace {

class StepsAtOnce : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_cuda()) GTEST_SKIP() << "VECC_TEST_DEVICE names no GPU";
  }
};

struct OnlineModel {
  NeuronGraph graph = value_of(read_graph(shipped("mutagenesis.pb")));
  Program program = value_of(optimize(value_of(vectorize(graph)).program));

  [[nodiscard]] std::unique_ptr<Trainer> trainer(std::uint32_t size, bool shuffle,
                                                 Optimizer optimizer) const {
    TrainOptions options;
    options.batch_size = size;
    options.shuffle = shuffle;
    options.batch_way = BatchWay::Bind;
    options.schedule = {.kind = RateSchedule::Kind::Geometric, .base = 0.01, .period = 1};
    options.optimizer.optimizer = optimizer;
    return value_of(make_trainer(graph, program, tested_backend(), tested_options(), options,
                                 all_samples(graph)));
  }
};

// Weights, moments, position and loss.
std::string state_of(Trainer& trainer) {
  return value_of(safetensors_bytes(value_of(trainer.save()))) +
         std::to_string(value_of(trainer.epoch_loss()));
}

TEST_F(StepsAtOnce, have_the_bits_of_steps_one_by_one) {
  const OnlineModel model;
  struct Asked {
    std::uint32_t size;
    bool shuffle;
    Optimizer optimizer;
  };
  for (const auto& [size, shuffle, optimizer] : {Asked{1, false, Optimizer::Adam},
                                                 {1, true, Optimizer::Sgd},
                                                 {5, false, Optimizer::LazyAdam}}) {
    SCOPED_TRACE(size);
    const auto at_once = model.trainer(size, shuffle, optimizer);
    const auto by_steps = model.trainer(size, shuffle, optimizer);
    EXPECT_GT(at_once->steps_at_once(), 1u);
    // The last ones go on in the next epoch.
    const std::uint64_t rest = at_once->batch_count() - 17;
    for (const std::uint64_t count :
         {std::uint64_t{1}, std::uint64_t{9}, std::uint64_t{7}, rest + 3}) {
      ASSERT_TRUE(at_once->steps(count));
      for (std::uint64_t step = 0; step < count; ++step) ASSERT_TRUE(by_steps->step());
      ASSERT_EQ(state_of(*at_once), state_of(*by_steps)) << count;
    }
    EXPECT_EQ(at_once->position().epoch, 1u);
    EXPECT_EQ(at_once->position().batch, 3u);
  }
}

TEST_F(StepsAtOnce, go_on_within_an_epoch) {
  const OnlineModel model;
  const auto whole = model.trainer(1, false, Optimizer::Adam);
  ASSERT_TRUE(whole->steps(30));
  const auto first = model.trainer(1, false, Optimizer::Adam);
  ASSERT_TRUE(first->steps(13));
  const auto second = model.trainer(1, false, Optimizer::Adam);
  ASSERT_TRUE(second->restore(value_of(first->save())));
  ASSERT_TRUE(second->steps(17));
  EXPECT_EQ(state_of(*second), state_of(*whole));
}

// Those that are known are all that is taken.
TEST_F(StepsAtOnce, take_the_memory_that_the_first_batch_says) {
  const OnlineModel model;
  const auto trainer = model.trainer(1, false, Optimizer::Adam);
  const std::uint64_t expected = value_of(trainer->batch_report()).step_bytes;
  ASSERT_TRUE(trainer->steps(1));
  EXPECT_EQ(trainer->bytes(), expected);
  ASSERT_TRUE(trainer->steps(3 * trainer->steps_at_once() - 1));
  // (The host keeps arrays of the batches; the device takes no more.)
  const std::uint64_t kept = trainer->bytes() - expected;
  EXPECT_LT(kept, std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace vecc::test
