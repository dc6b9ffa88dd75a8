// What training steps set beside an optimizer's inputs: no two runs alike, all exact in float.
#include "vecc/step_inputs.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace vecc {
namespace {

using StepWords = std::array<double, 3>;

StepWords words_of(std::uint64_t seed, std::uint64_t run) {
  return {step_input_value(kStepNumber, seed, run), step_input_value(kStepSeed, seed, run),
          step_input_value(kStepBlock, seed, run)};
}

TEST(StepInputs, TellSeedsAndRunsApart) {
  EXPECT_EQ(words_of(5, 1), (StepWords{1, 5, 0}));
  EXPECT_EQ(words_of(5, 16777215), (StepWords{16777215, 5, 0}));
  EXPECT_EQ(words_of(5, 16777216), (StepWords{1, 5, 256}));
  EXPECT_EQ(words_of(kStepSeeds - 1, 1), (StepWords{1, 16777215, 255}));
  std::set<StepWords> all;
  std::size_t count = 0;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 24, (1ull << 32) - 1}) {
    for (const std::uint64_t run : {1ull, 2ull, 16777215ull, 16777216ull, 1ull << 39}) {
      const StepWords words = words_of(seed, run);
      all.insert(words);
      ++count;
      EXPECT_GT(words[0], 0);
      for (const double word : words) EXPECT_EQ(word, static_cast<float>(word));
    }
  }
  EXPECT_EQ(all.size(), count);
}

TEST(StepInputs, AreFourNames) {
  EXPECT_TRUE(is_step_input("step.number"));
  EXPECT_TRUE(is_step_input("step.seed"));
  EXPECT_TRUE(is_step_input("step.block"));
  EXPECT_TRUE(is_step_input("step.samples"));
  EXPECT_FALSE(is_step_input("step.rate"));
  EXPECT_TRUE(is_step_number("step.block"));
  EXPECT_FALSE(is_step_number("step.samples"));
}

}  // namespace
}  // namespace vecc
