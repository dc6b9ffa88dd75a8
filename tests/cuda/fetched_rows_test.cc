// Rows of facts in the host's memory that the next batch reads are fetched while one runs: the bits
// are those of facts on the GPU. On a GPU, or on a host's emulation of one, whose streams may be
// late.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/cuda/cuda_backend.h"
#include "tests/cuda/compiled_batches.h"
#include "tests/cuda/network_of_features.h"
#include "vecc/fanout.h"

namespace vecc::test {
namespace {

class FetchedRows : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_backend().available(kTestedGpu)) GTEST_SKIP() << "no GPU";
    options.optimizer.optimizer = Optimizer::Adam;
    options.batch_size = 9;
    options.batch_values = BatchValues::Compact;
  }

  // Trained with the features there.
  [[nodiscard]] std::optional<std::vector<double>> train(const NeuronGraph& graph,
                                                         TablePlace place) {
    PlaceOptions places;
    places.wishes = {{"features: fact", place}};
    return train(graph, places);
  }
  [[nodiscard]] std::optional<std::vector<double>> train(const NeuronGraph& graph,
                                                         const PlaceOptions& places) {
    ExecutionOptions execution;
    execution.places = places;
    fetches = 0;
    execution.check_plan = [this](const PlannedProgram& planned) -> Result<void> {
      const auto& launches = planned.plan.launches;
      if (launches.back().stage == 1) {
        fetches += static_cast<std::uint64_t>(std::ranges::count(launches, 0u, &Launch::stage));
      }
      return {};
    };
    return train_some_steps(graph, options, std::move(execution));
  }
  void expect_same(const NeuronGraph& graph) {
    const auto expected = train(graph, TablePlace::Device);
    ASSERT_TRUE(expected);
    EXPECT_EQ(fetches, 0u);
    const auto fetched = train(graph, TablePlace::Host);
    ASSERT_TRUE(fetched);
    EXPECT_EQ(fetches, 1u);
    EXPECT_EQ(*fetched, *expected);
  }

  TrainOptions options;
  std::uint64_t fetches = 0;  // launches that fetch
};

TEST_F(FetchedRows, have_the_same_bits) {
  expect_same(network_of_features(200, 64));
}

TEST_F(FetchedRows, of_an_odd_size_have_the_same_bits) {
  expect_same(network_of_features(90, 7));
}

TEST_F(FetchedRows, of_sampled_members_have_the_same_bits) {
  const auto sampled = sample_members(network_of_features(200, 64), {{3, 2}, false});
  ASSERT_TRUE(sampled);
  options.members = std::make_shared<const SampledMembers>(sampled->members);
  expect_same(sampled->graph);
}

TEST_F(FetchedRows, of_tables_that_have_hot_rows_have_the_same_bits) {
  const NeuronGraph graph = network_of_features(2000, 64);
  const auto expected = train(graph, TablePlace::Device);
  constexpr std::uint64_t kPage = 4096;  // the emulator's
  std::uint64_t fetched = 0;
  for (std::uint64_t pages = 20; pages <= 140; pages += 12) {
    PlaceOptions places;
    places.device_bytes = pages * kPage;
    const auto found = train(graph, places);
    if (!found) continue;
    EXPECT_EQ(*found, *expected) << pages;
    fetched += fetches;
  }
  EXPECT_GT(fetched, 0u);
}

// Narrow ones are not: the host would bind batches longer than the bus takes.
TEST_F(FetchedRows, are_wide_unless_batches_are_to_be_compact) {
  options.batch_values = BatchValues::Choose;
  ASSERT_TRUE(train(network_of_features(200, 4), TablePlace::Host));
  EXPECT_EQ(fetches, 0u);
  ASSERT_TRUE(train(network_of_features(100, 4096), TablePlace::Host));
  EXPECT_EQ(fetches, 1u);
}

TEST_F(FetchedRows, are_none_where_values_are_spread) {
  options.batch_values = BatchValues::Spread;
  ASSERT_TRUE(train(network_of_features(100, 4096), TablePlace::Host));
  EXPECT_EQ(fetches, 0u);
}

}  // namespace
}  // namespace vecc::test
