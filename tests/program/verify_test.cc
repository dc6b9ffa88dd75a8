// Rules over a whole Program, and the counts over it.
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

std::string verified(const std::string& text) {
  const Result<void> result = verify(program_of(text));
  return result ? "" : result.error().text();
}

std::string with_samples(std::uint32_t count, const std::string& outputs) {
  return "vecc program 1 f32 samples " + std::to_string(count) +
         "\n%0 = fact unit : f32[2, 1]\n%1 = fact unit : f32[3, 1]\n" + outputs;
}

TEST(Verify, accepts_every_sample_once) {
  EXPECT_EQ(verified(kHeader), "");
  EXPECT_EQ(verified(with_samples(2, "%2 = output %0 [1, 0] : f32[2, 1]\n")), "");
  EXPECT_EQ(verified(with_samples(5,
                                  "%2 = output %0 [3, 0] : f32[2, 1]\n"
                                  "%3 = output %1 [2, 4, 1] : f32[3, 1]\n")),
            "");
  EXPECT_EQ(verified(with_samples(5,
                                  "%2 = output %0 [1:5:2] : f32[2, 1]\n"
                                  "%3 = output %1 [0:6:2] : f32[3, 1]\n")),
            "");
}

TEST(Verify, bad_sample_without_an_output) {
  EXPECT_EQ(verified(with_samples(3, "%2 = output %0 [2, 0] : f32[2, 1]\n")),
            "sample 1: error: is in no output, expected exactly one [E031]");
  EXPECT_EQ(verified(with_samples(3, "%2 = output %0 [0:2] : f32[2, 1]\n")),
            "sample 2: error: is in no output, expected exactly one [E031]");
  EXPECT_EQ(verified(with_samples(1, "")),
            "sample 0: error: is in no output, expected exactly one [E031]");
}

TEST(Verify, bad_sample_in_two_outputs) {
  EXPECT_EQ(verified(with_samples(4,
                                  "%2 = output %0 [1, 0] : f32[2, 1]\n"
                                  "%3 = output %1 [3, 2, 1] : f32[3, 1]\n")),
            "sample 1: error: is in two outputs, expected exactly one [E031]");
  EXPECT_EQ(verified(with_samples(4,
                                  "%2 = output %0 [0:2] : f32[2, 1]\n"
                                  "%3 = output %1 [1:4] : f32[3, 1]\n")),
            "sample 1: error: is in two outputs, expected exactly one [E031]");
  EXPECT_EQ(verified(with_samples(2, "%2 = output %0 [1, 1] : f32[2, 1]\n")),
            "sample 0: error: is in no output, expected exactly one [E031]");
  EXPECT_EQ(verified(with_samples(2, "%2 = output %0 [interleave 1 x 2] : f32[2, 1]\n")),
            "sample 0: error: is in two outputs, expected exactly one [E031]");
}

TEST(Verify, bad_sample_beyond_the_count) {
  EXPECT_EQ(verified(with_samples(0, "%2 = output %0 [0:2] : f32[2, 1]\n")),
            "sample 0: error: is in an output, but the program has 0 samples [E031]");
  Program program;
  program.unit_fact(2);
  program.output(0, Index::slice(0, 2));
  program.set_sample_count(1);
  EXPECT_EQ(verify(program).error().text(),
            "sample 1: error: is in an output, but the program has 1 sample [E031]");
}

// A short text may claim four billion samples; checking them takes neither time nor memory.
TEST(Verify, billions_of_claimed_samples_cost_nothing) {
  EXPECT_EQ(verified("vecc program 1 f32 samples 4000000000\n"
                     "%0 = fact unit : f32[2000000000, 1]\n"
                     "%1 = output %0 [2000000000:4000000000] : f32[2000000000, 1]\n"
                     "%2 = output %0 [0:2000000000] : f32[2000000000, 1]\n"),
            "");
  EXPECT_EQ(verified("vecc program 1 f32 samples 4000000000\n"),
            "sample 0: error: is in no output, expected exactly one [E031]");
}

TEST(Verify, bad_state_named_twice) {
  EXPECT_EQ(verified(kHeader + "%0 = state \"m\\n\" = 0 : f32[1, 1]\n"
                               "%1 = state \"n\" = 0 : f32[1, 1]\n"
                               "%2 = state \"m\\n\" = 0 : f32[1, 1]\n"),
            "%2 state: error: state \"m\\n\" is %0 already [E015]");
}

TEST(Verify, bad_parameter_updated_twice_through_two_weight_ops) {
  EXPECT_EQ(verified(kHeader + "parameter \"w\" [1, 1]\n"
                               "%0 = weight \"w\" : f32[1, 1]\n"
                               "%1 = weight \"w\" : f32[1, 1]\n"
                               "%2 = update %0, %1 : f32[1, 1]\n"
                               "%3 = update %1, %0 : f32[1, 1]\n"),
            "%3 update: error: %1 is updated by %2 already [E031]");
}

TEST(Verify, accepts_one_update_each) {
  EXPECT_EQ(verified(kHeader + "parameter \"w\" [1, 1]\n"
                               "%0 = weight \"w\" : f32[1, 1]\n"
                               "%1 = state \"m\" = 0 : f32[1, 1]\n"
                               "%2 = update %0, %1 : f32[1, 1]\n"
                               "%3 = update %1, %0 : f32[1, 1]\n"),
            "");
}

TEST(Verify, several_errors_are_all_reported) {
  EXPECT_EQ(verified("vecc program 1 f32 samples 1\n"
                     "%0 = state \"m\" = 0 : f32[1, 1]\n"
                     "%1 = state \"m\" = 0 : f32[1, 1]\n"),
            "%1 state: error: state \"m\" is %0 already [E015]\n"
            "sample 0: error: is in no output, expected exactly one [E031]");
}

TEST(Statistics, counts) {
  const Program program = program_of(
      "vecc program 1 f64 samples 2\n"
      "parameter \"w\" [1, 3x3]\n"
      "%0 = weight \"w\" : f64[1, 3x3]\n"
      "%1 = fact {1, 2, 3, 4, 5, 6} : f64[2, 3x1]\n"
      "%2 = linear %0 lift(repeat 2), %1 : f64[2, 3x1]\n"
      "%3 = gather %2 [1, 0, 1] : f64[3, 3x1]\n"
      "%4 = segment %3 [0, 2, 3] sum : f64[2, 3x1]\n"
      "%5 = transform %4 atindex [0, 2] : f64[2, 1]\n"
      "%6 = output %5 [0:2] : f64[2, 1]\n");
  const ProgramStatistics counts = statistics(program);
  EXPECT_EQ(counts.ops, 7u);
  EXPECT_EQ(counts.rows, 2u + 3 + 2 + 2);
  EXPECT_EQ(counts.value_bytes, 8u * (9 + 6 + 6 + 9 + 6 + 2 + 2));
  EXPECT_EQ(counts.index_bytes, 4u * (3 + 3 + 2));
  EXPECT_EQ(counts.parameter_bytes, 72u);
}

}  // namespace
}  // namespace vecc::test
