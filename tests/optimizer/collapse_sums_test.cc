// collapse-sums by its work: two hops over a graph become one where few distinct rows are read, and
// stay two where every row has terms of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "optimizer/passes/sum_terms.h"
#include "src/program/members.h"
#include "src/support/list_threads.h"
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

Program collapsed(const Program& program, std::uint32_t threads = 1) {
  OptimizeOptions options;
  options.passes = {"collapse-sums"};
  options.threads = threads;
  auto after = optimize(program, options);
  EXPECT_TRUE(after.has_value()) << after.error().text();
  return *std::move(after);
}

std::size_t sums_of(const Program& program) {
  const Program after = collapsed(program);
  return static_cast<std::size_t>(std::ranges::count_if(
      after.ops(), [](const Op& op) { return op.kind() == OpKind::Segment; }));
}

TEST(CollapseSums, two_hops_over_few_rows_are_one) {
  EXPECT_EQ(sums_of(two_hops(2000, 8, 5)), 1u);
}

TEST(CollapseSums, two_hops_over_many_rows_stay_two) {
  EXPECT_EQ(sums_of(two_hops(2000, 8, 2000)), 2u);
}

TEST(CollapseSums, is_the_same_for_any_number_of_threads) {
  const Program program = two_hops(66000, 8, 3);
  const Program one = collapsed(program);
  EXPECT_NE(fingerprint(one).text(), fingerprint(program).text());
  EXPECT_EQ(fingerprint(collapsed(program, 3)).text(), fingerprint(one).text());
}

// Sums of typed products of sums, so many that threads write terms ahead; one has more terms than a
// thread writes at once, and the rows after it are written again.
TEST(SumTerms, are_the_same_for_any_number_of_threads) {
  constexpr std::uint32_t kNodes = 70000;
  constexpr std::uint32_t kLong = 150000;  // terms of one row
  constexpr std::uint32_t kLongRow = 20000;
  Program program = two_hops(kNodes, 2, 1000);
  const auto w = program.add_parameter({"w", 3, Shape(4, 4), nullptr});
  const ValueId sums = program.op(static_cast<ValueId>(program.ops().size() - 1)).operands[0];
  RandomSource random(5);
  std::vector<std::uint32_t> types(kNodes + kLong);
  std::vector<std::uint32_t> rows(kNodes + kLong);
  std::ranges::generate(types, [&] { return random.below(3); });
  std::ranges::generate(rows, [&] { return random.below(kNodes); });
  const ValueId products = program.linear(program.gather(program.weight(*w), Index::list(types)),
                                          program.gather(sums, Index::list(rows)));
  std::vector<std::uint32_t> lengths(kNodes, 1);
  lengths[kLongRow] = kLong + 1;
  const ValueId root = program.segment(products, segments_of_lengths(lengths), Combination::Sum);
  const opt::SourceRows sources(program);
  const auto terms_by = [&](std::uint32_t threads) {
    const ListThreads scope(threads);
    opt::SumTerms terms(program, sources, std::vector<bool>(program.ops().size()));
    auto found = terms.write_out(root, terms.reach(root), /*through_products=*/true,
                                 [](const opt::TermCounts&) { return true; });
    EXPECT_TRUE(found.has_value());
    return found ? *std::move(found) : opt::TermRows();
  };
  const opt::TermRows one = terms_by(1);
  EXPECT_EQ(one.lengths.size(), kNodes);
  EXPECT_EQ(one.products.size(), 1u);
  for (const std::uint32_t threads : {2u, 5u}) {
    const opt::TermRows many = terms_by(threads);
    EXPECT_EQ(many.lengths, one.lengths);
    EXPECT_EQ(many.opened, one.opened);
    EXPECT_TRUE(std::ranges::equal(
        many.lists, one.lists, [](const opt::TermList& a, const opt::TermList& b) {
          return std::ranges::equal(a, b, [](const opt::Term& x, const opt::Term& y) {
            return x.table == y.table && x.row == y.row && x.factor == y.factor;
          });
        }));
    ASSERT_EQ(many.products.size(), one.products.size());
    EXPECT_EQ(many.products[0].left, one.products[0].left);
    EXPECT_EQ(many.products[0].right, one.products[0].right);
  }
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
