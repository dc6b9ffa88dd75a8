// Batches that are bound ahead are those that are asked for.
#include "src/train/batch_prefetch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace vecc::test {
namespace {

using training::BatchPrefetch;
using training::BatchStep;
using Samples = BatchPrefetch::Samples;

constexpr double kShortest = 50e-6;  // seconds of binding that are worth a thread

// Takes longer than that; sample 1007 is an error, 1008 an exception.
Result<void> bind_slowly(std::span<const std::uint32_t> samples, std::uint64_t step,
                         BatchStep& to) {
  std::this_thread::sleep_for(std::chrono::microseconds(200));
  if (samples.front() == 1007) return Errors(ErrorCode::Usage, "batch", "seven");
  if (samples.front() == 1008) throw std::runtime_error("eight");
  to.counted = samples.front() + 1000 * step;
  return {};
}

std::uint64_t bound(BatchPrefetch& prefetch, const Samples& samples, std::uint64_t step = 0) {
  const auto batch = prefetch.get(samples, step);
  return batch ? (*batch)->counted : 0;
}

TEST(BatchPrefetch, gives_the_batch_that_was_begun_or_another) {
  for (const std::uint32_t threads : {0u, 1u, 5u}) {
    BatchPrefetch prefetch(bind_slowly, threads, kShortest);
    EXPECT_FALSE(prefetch.is_worth_a_thread());  // nothing was measured
    EXPECT_EQ(bound(prefetch, {1}), 1u);
    EXPECT_EQ(prefetch.is_worth_a_thread(), threads > 0);
    for (std::uint32_t i = 2; i < 30; ++i) {
      if (prefetch.is_worth_a_thread() && i % 5 != 0) prefetch.begin({i % 3 == 0 ? i + 100 : i}, 0);
      EXPECT_EQ(bound(prefetch, {i}), i);
    }
  }
}

TEST(BatchPrefetch, short_binding_is_worth_no_thread) {
  BatchPrefetch prefetch(bind_slowly, 3, /*shortest=*/3600);
  EXPECT_EQ(bound(prefetch, {1}), 1u);
  EXPECT_FALSE(prefetch.is_worth_a_thread());
}

class BatchPrefetchThreads : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Counts, BatchPrefetchThreads, testing::Values(1, 2, 8));

TEST_P(BatchPrefetchThreads, several_are_begun_and_come_in_their_order) {
  BatchPrefetch prefetch(bind_slowly, GetParam(), kShortest);
  std::uint32_t begun = 1;
  for (std::uint32_t i = 1; i < 60; ++i) {
    while (prefetch.begun() < prefetch.most_begun()) prefetch.begin({begun++}, 0);
    const auto batch = prefetch.get({i}, 0);
    ASSERT_TRUE(batch);
    const BatchStep* const step = *batch;
    EXPECT_EQ(prefetch.begun(), prefetch.most_begun() - 1);
    EXPECT_EQ(step->counted, i);
    while (prefetch.begun() < prefetch.most_begun()) prefetch.begin({begun++}, 0);
    EXPECT_EQ(step->counted, i);  // until the next is asked for
    if (i % 20 == 0) {            // what was begun is forgotten
      EXPECT_EQ(bound(prefetch, {500}), 500u);
      EXPECT_EQ(prefetch.begun(), 0u);
      begun = i + 1;
    }
  }
  EXPECT_EQ(prefetch.bytes(), 0u);  // nothing was bound to a backend
}

TEST(BatchPrefetch, the_batch_of_another_step_is_another) {
  BatchPrefetch prefetch(bind_slowly, 3, kShortest);
  EXPECT_EQ(bound(prefetch, {5}, 1), 1005u);
  prefetch.begin({5}, 2);
  EXPECT_EQ(bound(prefetch, {5}, 3), 3005u);
  prefetch.begin({5}, 4);
  EXPECT_EQ(bound(prefetch, {5}, 4), 4005u);
}

TEST(BatchPrefetch, what_fails_fails_where_it_is_asked_for) {
  BatchPrefetch prefetch(bind_slowly, 3, kShortest);
  prefetch.begin({1007}, 0);
  EXPECT_EQ(bound(prefetch, {1}), 1u);  // nothing asks for it
  prefetch.begin({1007}, 0);
  const auto batch = prefetch.get({1007}, 0);
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().list().front().message, "seven");
  prefetch.begin({1008}, 0);
  EXPECT_THROW((void)prefetch.get({1008}, 0), std::runtime_error);
  EXPECT_EQ(bound(prefetch, {2}), 2u);
  prefetch.begin({3}, 0);  // and ends while it is bound
}

}  // namespace
}  // namespace vecc::test
