// Where hashing of floats goes wrong: rows that saturate or are nearly equal meet, sums that are
// rounded in another order part. Each case shows both: what four float samples say, and that
// fingerprints are right.
#include "tests/optimizer/iso/float_hashing.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/optimizer/iso/iso_check.h"
#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;

std::size_t count_of(const std::vector<std::uint32_t>& classes) {
  return classes.empty() ? 0 : *std::ranges::max_element(classes) + std::size_t{1};
}

TEST(IsoAgainstFloats, saturated_constants_stay_apart) {
  const Program program = program_of(
      "vecc program 1 f32 samples 4\n"
      "%0 = fact {10, 11, -10, -11} : f32[4, 1]\n"
      "%1 = transform %0 tanh : f32[4, 1]\n"
      "%2 = output %1 [0:4] : f32[4, 1]\n");
  EXPECT_THAT(float_classes(program, 1), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(iso_classes(program, 1), ElementsAre(0, 1, 2, 3));
  EXPECT_FALSE(run_iso_compress(program).changed);
}

// Their gradients by w differ: it may become small.
TEST(IsoAgainstFloats, saturated_functions_of_a_weight_stay_apart) {
  const Program program = program_of(
      "vecc program 1 f32 samples 2\n"
      "parameter \"w\" [1, 1] = {10}\n"
      "%0 = weight \"w\" : f32[1, 1]\n"
      "%1 = fact {100, 200} : f32[2, 1]\n"
      "%2 = gather %0 [0, 0] : f32[2, 1]\n"
      "%3 = linear %2, %1 : f32[2, 1]\n"
      "%4 = transform %3 tanh : f32[2, 1]\n"
      "%5 = output %4 [0:2] : f32[2, 1]\n");
  EXPECT_THAT(float_classes(program, 4), ElementsAre(0, 0));
  EXPECT_THAT(iso_classes(program, 4), ElementsAre(0, 1));
  EXPECT_FALSE(run_iso_compress(program).changed);
}

// relu(w + 20) is w + 20 on all samples from [-10, 10), and 0 below -20.
TEST(IsoAgainstFloats, different_graphs_with_equal_samples_stay_apart) {
  const Program program = program_of(
      "vecc program 1 f32 samples 2\n"
      "parameter \"w\" [1, 1] = {3}\n"
      "%0 = weight \"w\" : f32[1, 1]\n"
      "%1 = fact {20} : f32[1, 1]\n"
      "%2 = concat %0, %1 : f32[2, 1]\n"
      "%3 = segment %2 [0, 2] sum : f32[1, 1]\n"
      "%4 = transform %3 relu : f32[1, 1]\n"
      "%5 = concat %3, %4 : f32[2, 1]\n"
      "%6 = transform %5 tanh : f32[2, 1]\n"
      "%7 = output %6 [0:2] : f32[2, 1]\n");
  EXPECT_THAT(float_classes(program, 5), ElementsAre(0, 0));
  EXPECT_THAT(iso_classes(program, 5), ElementsAre(0, 1));
}

// 0.1 + 0.2 and 0.3 are one 32-bit float, and two 64-bit ones; 1 + 4 and 2 + 3 are equal by chance.
TEST(IsoAgainstFloats, equal_sums_of_other_constants_stay_apart) {
  const Program program = program_of(
      "vecc program 1 f32 samples 4\n"
      "%0 = fact {0.1, 0.2, 0.3, 0, 1, 4, 2, 3} : f32[8, 1]\n"
      "%1 = segment %0 [fixed 2 dim 2] sum : f32[4, 1]\n"
      "%2 = output %1 [0:4] : f32[4, 1]\n");
  EXPECT_THAT(float_classes(program, 1), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(iso_classes(program, 1), ElementsAre(0, 1, 2, 3));
}

TEST(IsoAgainstFloats, tied_weights_meet_and_weights_with_equal_values_do_not) {
  const Program program = program_of(
      "vecc program 1 f32 samples 4\n"
      "parameter \"v\" [1, 1] = {0.5}\n"
      "parameter \"w\" [1, 1] = {0.5}\n"
      "%0 = weight \"v\" : f32[1, 1]\n"
      "%1 = weight \"w\" : f32[1, 1]\n"
      "%2 = concat %0, %1, %0 : f32[3, 1]\n"
      "%3 = fact {1, 1, 1.00000001, 1} : f32[4, 1]\n"
      "%4 = gather %2 [0, 1, 2, 2] : f32[4, 1]\n"
      "%5 = linear %4, %3 : f32[4, 1]\n"
      "%6 = output %5 [0:4] : f32[4, 1]\n");
  EXPECT_THAT(float_classes(program, 5), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(iso_classes(program, 5), ElementsAre(0, 1, 2, 0));
}

// Sums of the same twelve weights: in another order, in other brackets.
Program reordered_sums(std::uint32_t rows) {
  constexpr std::uint32_t kMembers = 12;
  Program program(DType::F32);
  program.set_sample_count(rows);
  const auto parameter = program.add_parameter({"x", kMembers, Shape::scalar(), nullptr});
  const ValueId weights = program.weight(*parameter);
  RandomSource random(1);
  std::vector<std::uint32_t> order(kMembers);
  for (std::uint32_t k = 0; k < kMembers; ++k) order[k] = k;
  std::vector<std::uint32_t> index;
  std::vector<std::uint32_t> inner{0};
  std::vector<std::uint32_t> outer{0};
  for (std::uint32_t i = 0; i < rows; ++i) {
    random.shuffle(order);
    index.insert(index.end(), order.begin(), order.end());
    for (std::uint32_t left = kMembers; left > 0;) {
      const std::uint32_t taken = random.between(1, left);
      inner.push_back(inner.back() + taken);
      left -= taken;
    }
    outer.push_back(static_cast<std::uint32_t>(inner.size() - 1));
  }
  const ValueId members = program.gather(weights, Index::list(std::move(index)));
  const ValueId sums =
      program.segment(members, Segments::ragged(std::move(inner)), Combination::Sum);
  const ValueId all = program.segment(sums, Segments::ragged(std::move(outer)), Combination::Sum);
  program.output(all, Index::slice(0, rows));
  return program;
}

TEST(IsoAgainstFloats, reordered_sums_are_one_row) {
  const Program program = reordered_sums(1000);
  EXPECT_GT(count_of(float_classes(program, 3)), 100u);
  EXPECT_EQ(count_of(iso_classes(program, 3)), 1u);
  const IsoRun run = run_iso_compress(program);
  EXPECT_EQ(run.program.op(run.program.ops().back().operands[0]).rows, 1000u);
  EXPECT_EQ(run.counters.at("different rows that meet in the first field"), 0u);
}

// tanh of w times numbers beside each other, each number twice; the value is the last but one.
Program neighbouring_numbers(std::uint32_t count) {
  Program program(DType::F64);
  program.set_sample_count(2 * count);
  std::vector<double> numbers;
  std::vector<std::uint32_t> zeros(2 * std::size_t{count}, 0);
  for (std::uint32_t i = 0; i < 2 * count; ++i) numbers.push_back(1 + (i % count) * 0x1p-45);
  const ValueId facts = program.fact(std::move(numbers), 2 * count, Shape::scalar());
  const auto parameter = program.add_parameter({"w", 1, Shape::scalar(), nullptr});
  const ValueId weights = program.gather(program.weight(*parameter), Index::list(std::move(zeros)));
  const ValueId products = program.linear(weights, facts);
  const ValueId result = program.transform(products, {Transformation::Tanh, 0, {}});
  program.output(result, Index::slice(0, 2 * count));
  return program;
}

TEST(IsoAgainstFloats, nearly_equal_rows_meet_in_floats) {
  const Program program = neighbouring_numbers(10'000);
  EXPECT_EQ(count_of(float_classes(program, 4)), 1u);
  EXPECT_EQ(count_of(iso_classes(program, 4)), 10'000u);
}

TEST(IsoAgainstFloats, a_million_nearly_equal_rows_stay_apart) {
  constexpr std::uint32_t kCount = 1'000'000;
  const IsoRun run = run_iso_compress(neighbouring_numbers(kCount));
  EXPECT_EQ(run.counters.at("rows left out"), 3u * kCount);  // facts, products, results
  EXPECT_EQ(run.counters.at("different rows that meet in the first field"), 0u);
  EXPECT_EQ(run.program.op(0).rows, kCount);
}

// 2^61 is 1 in the first field: both fields together tell a row from what 61 doublings make of it.
TEST(IsoFields, rows_that_meet_in_one_field_stay_apart_and_are_counted) {
  Program program(DType::F64);
  program.set_sample_count(2);
  const auto parameter = program.add_parameter({"x", 1, Shape::scalar(), nullptr});
  const ValueId x = program.weight(*parameter);
  ValueId doubled = x;
  for (int i = 0; i < 61; ++i) {
    const std::vector<ValueId> twice{doubled, doubled};
    doubled = program.segment(program.concat(twice), Segments::fixed(2), Combination::Sum);
  }
  const std::vector<ValueId> both{x, doubled};
  const ValueId result = program.transform(program.concat(both), {Transformation::Tanh, 0, {}});
  program.output(result, Index::slice(0, 2));
  const IsoRun run = run_iso_compress(program);
  EXPECT_FALSE(run.changed);
  EXPECT_GT(run.counters.at("different rows that meet in the first field"), 0u);
}

TEST(IsoSeeds, any_seed_gives_the_same_classes) {
  const Program program = reordered_sums(50);
  for (const ValueId value : {1u, 2u, 3u}) {
    const auto classes = iso_classes(program, value, 1);
    for (std::uint64_t seed = 2; seed < 20; ++seed) {
      EXPECT_EQ(iso_classes(program, value, seed), classes);
    }
  }
}

}  // namespace
}  // namespace vecc::test
