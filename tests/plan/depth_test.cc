// What a recursion costs is linear in its depth, from the vectorizer to the Plan: counted, not
// timed.
#include <gtest/gtest.h>

#include "tests/plan/counted_work.h"
#include "tests/support/deep_graphs.h"

namespace vecc::test {
namespace {

// A kernel holds up to 64 nodes of a chain; how many levels that are differs at its ends.
constexpr std::uint64_t kMostKernels = 48;

class Depth : public testing::TestWithParam<NeuronGraph (*)(std::uint32_t)> {};

TEST_P(Depth, TwiceAsDeepIsTwiceTheWork) {
  const Work once = work_of(GetParam()(400));
  const Work twice = work_of(GetParam()(800));
  expect_linear(once, twice, 2.2);
  EXPECT_LE(twice.kernels, kMostKernels);
}

INSTANTIATE_TEST_SUITE_P(Recursions, Depth,
                         testing::Values(&one_chain, &levels_summed_up, &chain_of_weights,
                                         &chain_of_groups, &uneven_chains, &skipping_rows,
                                         &ancestor_levels));

}  // namespace
}  // namespace vecc::test
