// collapse-sums by its work: two hops over a graph become one where few distinct rows are read, and
// stay two where every row has terms of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random_source.h"
#include "vecc/optimize.h"
#include "vecc/program.h"

namespace vecc::test {
namespace {

// The mean over each node's neighbours of the sums over theirs, of random neighbours; in the second
// hop those are rows of a parameter.
Program two_hops(std::uint32_t nodes, std::uint32_t degree, std::uint32_t rows) {
  RandomSource random(7);
  std::vector<std::uint32_t> first(nodes * degree);
  std::vector<std::uint32_t> second(nodes * degree);
  std::ranges::generate(first, [&] { return random.below(rows); });
  std::ranges::generate(second, [&] { return random.below(nodes); });
  Program program(DType::F64);
  program.set_sample_count(nodes);
  const auto x = program.add_parameter({"x", rows, Shape::column(4), nullptr});
  const Segments each = Segments::fixed(degree);
  const ValueId inner = program.segment(program.gather(program.weight(*x), Index::list(first)),
                                        each, Combination::Sum);
  const ValueId outer =
      program.segment(program.gather(inner, Index::list(second)), each, Combination::Avg);
  program.output(outer, Index::slice(0, nodes));
  return program;
}

std::size_t sums_of(const Program& program) {
  OptimizeOptions options;
  options.passes = {"collapse-sums"};
  const auto after = optimize(program, options);
  EXPECT_TRUE(after.has_value()) << after.error().text();
  return static_cast<std::size_t>(std::ranges::count_if(
      after->ops(), [](const Op& op) { return op.kind() == OpKind::Segment; }));
}

TEST(CollapseSums, two_hops_over_few_rows_are_one) {
  EXPECT_EQ(sums_of(two_hops(2000, 8, 5)), 1u);
}

TEST(CollapseSums, two_hops_over_many_rows_stay_two) {
  EXPECT_EQ(sums_of(two_hops(2000, 8, 2000)), 2u);
}

// Terms that double with every level are not counted through all of them: the work is linear.
TEST(CollapseSums, a_chain_of_doubled_sums_keeps_most_of_its_levels) {
  constexpr std::uint32_t kLevels = 5000;
  Program program(DType::F64);
  program.set_sample_count(1);
  const auto x = program.add_parameter({"x", 1, Shape::scalar(), nullptr});
  ValueId sum = program.weight(*x);
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    sum = program.segment(program.gather(sum, Index::list({0, 0})), Segments::fixed(2),
                          Combination::Sum);
  }
  program.output(sum, Index::slice(0, 1));
  const std::size_t left = sums_of(program);
  EXPECT_LT(left, kLevels);
  EXPECT_GT(left, kLevels - 64);
}

}  // namespace
}  // namespace vecc::test
