// pad-linear: the orders of the products, and that it never both stores and multiplies more.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

#include "optimizer/passes/pad_linear_layouts.h"
#include "src/program/index_algebra.h"
#include "tests/optimizer/pass_case.h"
#include "vecc/optimize.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;
using Rows = std::vector<std::uint32_t>;

opt::DistinctPairs pairs_of(Rows left, Rows right) {
  opt::DistinctPairs pairs;
  pairs.left = std::move(left);
  pairs.right = std::move(right);
  pairs.by_left = opt::uses_of(pairs.left, pairs.right);
  pairs.by_right = opt::uses_of(pairs.right, pairs.left);
  return pairs;
}

// Some pairs of `lefts` and `rights` rows, each once, in any order; left rows are unequally used.
opt::DistinctPairs random_pairs(std::mt19937& random) {
  const std::uint32_t lefts = 1 + random() % 4;
  const std::uint32_t rights = 1 + random() % 12;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (std::uint32_t left = 0; left < lefts; ++left) {
    for (std::uint32_t right = 0; right < rights; ++right) {
      if (random() % (left + 2) != 0) all.emplace_back(left * 3, right + 5);
    }
  }
  if (all.empty()) all.emplace_back(0, 5);
  std::ranges::shuffle(all, random);
  Rows left;
  Rows right;
  for (const auto& [l, r] : all) {
    left.push_back(l);
    right.push_back(r);
  }
  return pairs_of(std::move(left), std::move(right));
}

std::uint64_t rows_left_after_lift(const Rows& rows, bool interleaves) {
  const Index index = Index::list(rows);
  return interleaves ? rows.size() / longest_interleaving(index) : shortest_period(index);
}

// Every product is asked for or repeats one of the side that it pads; every pair has its product;
// and the sides that a layout says to lift do repeat.
void check_layout(const opt::DistinctPairs& pairs, const opt::PadLayout& layout,
                  opt::Orientation orientation) {
  const opt::PaddedRows rows = opt::lay_out(pairs, layout, orientation);
  ASSERT_EQ(rows.left.size(), layout.products);
  ASSERT_EQ(rows.right.size(), layout.products);
  ASSERT_EQ(rows.place.size(), pairs.left.size());
  std::set<std::uint32_t> places;
  for (std::size_t row = 0; row < rows.place.size(); ++row) {
    ASSERT_EQ(rows.left[rows.place[row]], pairs.left[row]);
    ASSERT_EQ(rows.right[rows.place[row]], pairs.right[row]);
    EXPECT_TRUE(places.insert(rows.place[row]).second);
  }
  const bool left_interleaves = orientation == opt::Orientation::LeftInterleaves;
  if (layout.kind != opt::PadLayout::Kind::ByRight) {
    EXPECT_LE(rows_left_after_lift(rows.left, left_interleaves), layout.left_rows);
  }
  if (layout.kind != opt::PadLayout::Kind::ByLeft) {
    EXPECT_LE(rows_left_after_lift(rows.right, !left_interleaves), layout.right_rows);
  }
}

TEST(PadLayouts, hold_every_pair_and_repeat) {
  std::mt19937 random(1);
  for (std::uint32_t round = 0; round < 500; ++round) {
    const opt::DistinctPairs pairs = random_pairs(random);
    for (const opt::PadLayout& layout : opt::pad_layouts(pairs, PadMode::Any)) {
      check_layout(pairs, layout, opt::Orientation::LeftInterleaves);
      check_layout(pairs, layout, opt::Orientation::RightInterleaves);
    }
  }
}

// Uses 20 and 10.
opt::DistinctPairs twice_as_often() {
  Rows left(20, 0);
  left.resize(30, 1);
  Rows right(30);
  for (std::uint32_t row = 0; row < 30; ++row) right[row] = row;
  return pairs_of(std::move(left), std::move(right));
}

TEST(PadLayouts, bucketed_period_needs_fewer_rows) {
  const auto layouts = opt::pad_layouts(twice_as_often(), PadMode::Sided);
  ASSERT_EQ(layouts.size(), 3u);  // no bucketed order of 30 inputs
  EXPECT_THAT(layouts[0].times, ElementsAre(1, 1));
  EXPECT_EQ(layouts[0].products, 40u);
  EXPECT_EQ(layouts[0].left_rows, 2u);
  EXPECT_EQ(layouts[1].products, 30u);
  EXPECT_EQ(layouts[1].right_rows, 30u);
  EXPECT_THAT(layouts[2].times, ElementsAre(2, 1));
  EXPECT_EQ(layouts[2].products, 30u);
  EXPECT_EQ(layouts[2].left_rows, 3u);
  EXPECT_EQ(layouts[2].periods, 10u);
}

TEST(PadLayouts, of_each_mode) {
  EXPECT_TRUE(opt::pad_layouts(twice_as_often(), PadMode::Never).empty());
  const auto full = opt::pad_layouts(twice_as_often(), PadMode::Full);
  ASSERT_EQ(full.size(), 1u);
  EXPECT_EQ(full[0].kind, opt::PadLayout::Kind::AllPairs);
  EXPECT_EQ(full[0].products, 60u);
  EXPECT_EQ(opt::pad_layouts(twice_as_often(), PadMode::Any).size(), 4u);
}

// The limit is that of the period's length, not of the number of distinct rows.
TEST(PadLayouts, a_period_has_at_most_24_rows) {
  const auto bucketed_by_left = [](std::uint32_t often) {
    Rows left(often, 0);
    left.push_back(1);
    Rows right(left.size());
    for (std::uint32_t row = 0; row < right.size(); ++row) right[row] = row;
    const auto layouts =
        opt::pad_layouts(pairs_of(std::move(left), std::move(right)), PadMode::Sided);
    return std::ranges::any_of(layouts, [](const opt::PadLayout& layout) {
      return layout.kind == opt::PadLayout::Kind::ByLeft && layout.times[0] > 1;
    });
  };
  EXPECT_TRUE(bucketed_by_left(23));
  EXPECT_FALSE(bucketed_by_left(24));
}

// A linear of 3x3 weights and 3x1 inputs over the pairs, read by an output.
Program linear_over(const opt::DistinctPairs& pairs) {
  Program program;
  const ValueId w = program.fact(std::vector<double>(20 * 9, 1), 20, Shape(3, 3));
  const ValueId x = program.fact(std::vector<double>(20 * 3, 1), 20, Shape(3, 1));
  const ValueId left = program.gather(w, Index::compact(pairs.left));
  const ValueId right = program.gather(x, Index::compact(pairs.right));
  const ValueId product = program.linear(left, right);
  const auto rows = static_cast<std::uint32_t>(pairs.left.size());
  program.output(product, Index::slice(0, rows));
  program.set_sample_count(rows);
  return program;
}

std::uint64_t count_products(const Program& program) {
  std::uint64_t rows = 0;
  for (const Op& op : program.ops()) rows += op.kind() == OpKind::Linear ? op.rows : 0;
  return rows;
}

TEST(PadLinear, never_stores_and_multiplies_more) {
  std::mt19937 random(3);
  std::uint32_t padded = 0;
  for (std::uint32_t round = 0; round < 500; ++round) {
    const Program before = linear_over(random_pairs(random));
    const Program without = run_passes(before, {"broadcast-linear"});
    const Program with = run_passes(before, {"pad-linear", "broadcast-linear"});
    if (fingerprint(with) == fingerprint(without)) continue;
    ++padded;
    EXPECT_GE(count_products(with), count_products(without));
    EXPECT_LT(statistics(with).value_bytes, statistics(without).value_bytes);
  }
  EXPECT_GT(padded, 50u);
}

}  // namespace
}  // namespace vecc::test
