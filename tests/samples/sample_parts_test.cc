// Parts: a Program split by samples computes what the whole does, and no row is two parts'.
#include "src/samples/sample_parts.h"

#include <gtest/gtest.h>

#include "tests/samples/forward_runs.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kAnyElements = std::uint64_t{1} << 40;

std::uint32_t check_parts(const Program& program, std::uint32_t most_parts) {
  const auto split = split_by_samples(program, most_parts, kAnyElements);
  if (!split) return 0;
  const Result<void> verified = verify(split->program);
  EXPECT_TRUE(verified) << verified.error().text();
  EXPECT_EQ(split->origin.size(), split->program.ops().size());
  EXPECT_EQ(split->program.sample_count(), program.sample_count());
  const auto whole = run_program(program, /*gradients=*/true);
  const auto parts = run_program(split->program, /*gradients=*/true);
  const auto expected = whole->outputs();
  const auto found = parts->outputs();
  EXPECT_TRUE(expected && found);
  for (std::size_t s = 0; s < expected->size(); ++s) {
    SCOPED_TRACE("sample " + std::to_string(s));
    EXPECT_EQ((*found)[s].shape, (*expected)[s].shape);
    expect_near_where_finite((*found)[s].value, (*expected)[s].value);
  }
  EXPECT_TRUE(whole->differentiate(seed_of(*expected)));
  EXPECT_TRUE(parts->differentiate(seed_of(*found)));
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    SCOPED_TRACE("parameter " + std::to_string(p));
    expect_near_where_finite(*parts->gradient(p), *whole->gradient(p));
  }
  return split->parts;
}

TEST(SampleParts, what_two_parts_read_is_computed_in_each) {
  auto program = parse_program(
      "vecc program 1 f32 samples 2\n"
      "parameter \"w\" [1, 1] = {2}\n"
      "%0 = weight \"w\" : f32[1, 1]\n"
      "%1 = fact {1, 2, 3} : f32[3, 1]\n"
      "%2 = linear %0 lift(repeat 3), %1 : f32[3, 1]\n"
      "%3 = gather %2 [0, 1, 1, 2] : f32[4, 1]\n"
      "%4 = segment %3 [0, 2, 4] sum : f32[2, 1]\n"
      "%5 = output %4 [0:2] : f32[2, 1]\n",
      "p");
  ASSERT_TRUE(program) << program.error().text();
  const auto split = split_by_samples(*program, 8, kAnyElements);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->parts, 2u);
  EXPECT_EQ(print(split->program),
            "vecc program 1 f32 samples 2\n"
            "parameter \"w\" [1, 1]\n"
            "%0 = weight \"w\" : f32[1, 1]\n"
            "%1 = gather %0 [0, 0] : f32[2, 1]\n"
            "%2 = fact {1, 2, 3} : f32[3, 1]\n"
            "%3 = gather %1 [0, 0, 1, 1] : f32[4, 1]\n"
            "%4 = gather %2 [0, 1, 1, 2] : f32[4, 1]\n"
            "%5 = linear %3, %4 : f32[4, 1]\n"
            "%6 = segment %5 [fixed 2 dim 2] sum : f32[2, 1]\n"
            "%7 = output %6 [0:2] : f32[2, 1]\n");
  EXPECT_EQ(split->origin, (std::vector<ValueId>{0, 0, 1, 2, 2, 2, 4, 5}));
}

TEST(SampleParts, one_sample_or_too_many_elements_stay_whole) {
  auto program = parse_program(
      "vecc program 1 f32 samples 2\n"
      "%0 = fact {1, 2} : f32[2, 1]\n"
      "%1 = transform %0 tanh : f32[2, 1]\n"
      "%2 = output %1 [0:2] : f32[2, 1]\n",
      "p");
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_TRUE(split_by_samples(*program, 2, 2));
  EXPECT_FALSE(split_by_samples(*program, 2, 1));
  EXPECT_FALSE(split_by_samples(*program, 1, kAnyElements));
}

// What samples share is counted once a part, not once a sample.
TEST(SampleParts, shared_rows_count_once_a_part) {
  auto program = parse_program(
      "vecc program 1 f32 samples 5\n"
      "%0 = fact {1, 2} : f32[2, 1]\n"
      "%1 = transform %0 tanh : f32[2, 1]\n"
      "%2 = gather %1 [0, 0, 0, 0, 1] : f32[5, 1]\n"
      "%3 = output %2 [0:5] : f32[5, 1]\n",
      "p");
  ASSERT_TRUE(program) << program.error().text();
  const auto split = split_by_samples(*program, 2, 3);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->parts, 2u);
  EXPECT_FALSE(split_by_samples(*program, 2, 2));
}

TEST(SampleParts, of_random_programs) {
  int checked = 0;
  for_random_programs(300, [&](const Program& program, RandomSource& random) {
    if (check_parts(program, 2 + random.below(5)) > 1) ++checked;
  });
  EXPECT_GT(checked, 20);
}

TEST(SampleParts, of_random_graphs_as_vectorized_and_optimized) {
  int checked = 0;
  for_random_graphs(60, [&](const Program& vectorized, const Program& optimized, RandomSource&) {
    if (check_parts(vectorized, 3) > 1) ++checked;
    check_parts(optimized, 1000);
  });
  EXPECT_GT(checked, 20);
}

}  // namespace
}  // namespace vecc::test
