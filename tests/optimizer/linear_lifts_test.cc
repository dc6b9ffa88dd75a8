// The choice of lifts, against every pair of lifts that there is.
#include "optimizer/passes/linear_lifts.h"

#include <gtest/gtest.h>

#include <random>

#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "vecc/optimize.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

bool reads_the_same(const Index& rows, const Lift& lift) {
  if (rows.size() % lift.times != 0) return false;
  const Index lifted = opt::rows_under_lift(rows, lift);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (lifted[unlifted_row(lift, lifted.size(), i)] != rows[i]) return false;
  }
  return true;
}

std::vector<Lift> all_lifts(std::uint32_t rows) {
  std::vector<Lift> lifts{Lift()};
  for (std::uint32_t times = 2; times <= rows; ++times) {
    lifts.push_back({Lift::Kind::Repeat, times});
    lifts.push_back({Lift::Kind::Interleave, times});
  }
  return lifts;
}

double gathered(const opt::LinearSide& side, const Lift& lift) {
  if (lift == Lift() && is_view(side.rows)) return 0;
  return static_cast<double>(side.rows.size() / lift.times) * static_cast<double>(side.row_size);
}

// One side, or a table of all pairs: one side repeats, the other interleaves, and the rows that the
// one reads are as many as the other has times.
bool is_allowed(const opt::LinearLifts& lifts, std::uint32_t rows) {
  if (lifts.left == Lift() || lifts.right == Lift()) return true;
  return lifts.left.kind != lifts.right.kind && lifts.left.times * lifts.right.times == rows;
}

double least_gathered(const opt::LinearSide& left, const opt::LinearSide& right) {
  double least = gathered(left, {}) + gathered(right, {});
  for (const Lift& l : all_lifts(left.rows.size())) {
    if (!reads_the_same(left.rows, l)) continue;
    for (const Lift& r : all_lifts(left.rows.size())) {
      if (!is_allowed({l, r}, left.rows.size()) || !reads_the_same(right.rows, r)) continue;
      least = std::min(least, gathered(left, l) + gathered(right, r));
    }
  }
  return least;
}

// Rows that repeat, interleave, both or neither, by chance.
Index random_rows(std::uint32_t rows, std::mt19937& random) {
  std::vector<std::uint32_t> divisors;
  for (std::uint32_t d = 1; d <= rows; ++d) {
    if (rows % d == 0) divisors.push_back(d);
  }
  const std::uint32_t period = divisors[random() % divisors.size()];
  const std::uint32_t run = divisors[random() % divisors.size()];
  std::vector<std::uint32_t> values(rows);
  for (std::uint32_t& value : values) value = random() % 3;
  std::vector<std::uint32_t> result(rows);
  for (std::uint32_t i = 0; i < rows; ++i) result[i] = values[i % period / run];
  return Index::compact(std::move(result));
}

TEST(LinearLifts, no_other_lifts_gather_less) {
  std::mt19937 random(1);
  std::uint32_t lifted_both = 0;
  for (std::uint32_t round = 0; round < 3000; ++round) {
    const std::uint32_t rows = 1 + random() % 24;
    const opt::LinearSide left{random_rows(rows, random), 1 + random() % 9};
    const opt::LinearSide right{random_rows(rows, random), 1 + random() % 9};
    const opt::LinearLifts lifts = opt::choose_lifts(left, right, {});
    ASSERT_TRUE(is_allowed(lifts, rows));
    ASSERT_TRUE(reads_the_same(left.rows, lifts.left));
    ASSERT_TRUE(reads_the_same(right.rows, lifts.right));
    ASSERT_EQ(gathered(left, lifts.left) + gathered(right, lifts.right),
              least_gathered(left, right));
    lifted_both += lifts.left != Lift() && lifts.right != Lift();
  }
  EXPECT_GT(lifted_both, 100u);
}

// Segments only choose among lifts of the same kind, and never undo one.
TEST(LinearLifts, segments_change_the_period_only) {
  std::mt19937 random(2);
  std::uint32_t changed = 0;
  for (std::uint32_t round = 0; round < 3000; ++round) {
    const std::uint32_t members = 1 + random() % 4;
    const std::uint32_t rows = members * (1 + random() % 6);
    const opt::LinearSide left{random_rows(rows, random), 4};
    const opt::LinearSide right{random_rows(rows, random), 2};
    const opt::LinearLifts alone = opt::choose_lifts(left, right, {});
    const opt::LinearLifts lifts = opt::choose_lifts(left, right, {members, 1 + round % 2});
    ASSERT_TRUE(is_allowed(lifts, rows));
    ASSERT_TRUE(reads_the_same(left.rows, lifts.left));
    ASSERT_TRUE(reads_the_same(right.rows, lifts.right));
    ASSERT_EQ(lifts.left.kind, alone.left.kind);
    ASSERT_EQ(lifts.right.kind, alone.right.kind);
    changed += lifts.left != alone.left || lifts.right != alone.right;
  }
  EXPECT_GT(changed, 20u);
}

}  // namespace
}  // namespace vecc::test
