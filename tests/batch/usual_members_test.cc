// Of which sums a batch has so few members, spread evenly, that their pieces are to be longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/batch/batch_sizes.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

// The gradient of `w` is a sum over all samples, each of which reads a row of its own.
Program sum_over(std::uint32_t samples) {
  const auto parsed =
      parse_program(fmt::format("vecc program 1 f32 samples {0}\n"
                                "parameter \"w\" [1, 1] = {{1}}\n"
                                "parameter \"x\" [{0}, 1]\n"
                                "parameter \"weight\" [{0}, 1]\n"
                                "%0 = weight \"w\" : f32[1, 1]\n"
                                "%1 = weight \"x\" : f32[{0}, 1]\n"
                                "%2 = weight \"weight\" : f32[{0}, 1]\n"
                                "%3 = linear %0 lift(repeat {0}), %1 : f32[{0}, 1]\n"
                                "%4 = transform %3 tanh : f32[{0}, 1]\n"
                                "%5 = map elproduct($0, $1) %2, %4 : f32[{0}, 1]\n"
                                "%6 = segment %5 [0, {0}] sum : f32[1, 1]\n"
                                "%7 = map sum($0, elproduct(-0.5, $1)) %0, %6 : f32[1, 1]\n"
                                "%8 = update %0, %7 : f32[1, 1]\n"
                                "%9 = output %4 [0:{0}] : f32[{0}, 1]\n",
                                samples),
                    "p");
  EXPECT_TRUE(parsed) << parsed.error().text();
  return *parsed;
}

std::vector<PlanOptions::UsualMembers> usual_of(std::uint32_t all, std::uint32_t samples,
                                                std::uint32_t apart) {
  const Program program = sum_over(all);
  const auto batches = make_batch_plan(make_plan(program, PlanOptions{.target = default_gpu()}),
                                       program, BatchOptions{{2}, {{8, 0}}, false});
  EXPECT_TRUE(batches) << batches.error().text();
  Batch batch;
  batch.weights.emplace_back();
  for (std::uint32_t s = 0; s < samples; ++s) batch.weights[0].rows.push_back(s * apart);
  batch.weights[0].values.assign(samples, 1.0);
  return usual_members(batches->plan, batch_sizes(batches->plan, *batches, batch));
}

constexpr std::uint32_t kAll = 400'000;

TEST(UsualMembers, AreThoseOfABatchThatIsSpreadEvenly) {
  const auto usual = usual_of(kAll, 1000, 400);
  ASSERT_EQ(usual.size(), 1u);
  EXPECT_EQ(usual[0].op, 6u);
  EXPECT_EQ(usual[0].all, kAll);
  EXPECT_EQ(usual[0].usual, 1000u);
}

TEST(UsualMembers, AreNotSaidOfSamplesSideBySide) {
  EXPECT_TRUE(usual_of(kAll, 1000, 1).empty());
}

TEST(UsualMembers, AreNotSaidOfAFewSamplesWhichMayBeAnywhere) {
  EXPECT_TRUE(usual_of(kAll, 6, 400).empty());
}

TEST(UsualMembers, AreNotSaidOfMostSamples) {
  EXPECT_TRUE(usual_of(kAll, kAll / 2, 2).empty());
}

TEST(UsualMembers, AreNotSaidOfFewPieces) {
  EXPECT_TRUE(usual_of(4000, 10, 400).empty());
}

}  // namespace
}  // namespace vecc::test
