// Concats of rows that are made elsewhere: in place, read through a list, several times, or not all
// of them.
#include <gtest/gtest.h>

#include <vector>

#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kPartRows = 61;

// Each row once, in another order, but for the last `left_out`.
Index shuffled(std::uint32_t left_out) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < kPartRows; ++row) {
    if (row * 7 % kPartRows < kPartRows - left_out) rows.push_back(row * 7 % kPartRows);
  }
  return Index::list(std::move(rows));
}

// What reads the concat: sums of pairs of its rows.
void read_pairs(Program& p, ValueId concat) {
  const std::uint32_t rows = p.op(concat).rows;
  std::vector<std::uint32_t> list;
  for (std::uint32_t row = 0; row < 80; ++row) list.push_back(row * 11 % rows);
  p.segment(p.gather(concat, Index::list(std::move(list))), Segments::fixed(2), Combination::Sum);
}

ValueId products(Program& p, std::uint32_t size, std::uint32_t seed) {
  const ValueId w = random_fact(p, 1, Shape(size, size), seed);
  const ValueId x = random_fact(p, kPartRows, Shape::column(size), seed + 1);
  return p.linear(w, x, {false, false, {Lift::Kind::Repeat, kPartRows}, {}});
}

void expect_concat_agrees(std::uint32_t size, std::uint32_t left_out) {
  const auto build = [&](Program& p) {
    const ValueId some = random_fact(p, 3, Shape::column(size), 7);
    const ValueId gathered = p.gather(products(p, size, 1), shuffled(left_out));
    const ValueId again = p.gather(products(p, size, 3), shuffled(0));
    read_pairs(p, p.concat(std::vector{some, gathered, products(p, size, 5), again}));
  };
  const std::string name = std::to_string(size) + " without " + std::to_string(left_out);
  expect_agreement(name, build);
  Program alone;
  build(alone);
  alone.set_sample_count(40);
  alone.output(static_cast<ValueId>(alone.ops().size() - 1), Index::slice(0, 40));
  expect_outputs_agree(alone);
}

TEST(Concat, OfGatheredRowsAgrees) {
  for (const std::uint32_t size : {10u, 64u}) {
    for (const std::uint32_t left_out : {0u, 9u, 40u}) expect_concat_agrees(size, left_out);
  }
}

// Rows that are there twice, and such that others read as well.
TEST(Concat, OfRepeatedRowsAgrees) {
  expect_agreement("repeated", [](Program& p) {
    const ValueId made = products(p, 10, 1);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < kPartRows; ++row) rows.push_back(row / 2);
    const ValueId twice = p.gather(made, Index::list(std::move(rows)));
    read_pairs(p, p.concat(std::vector{random_fact(p, 2, Shape::column(10), 9), twice}));
    read_pairs(p, p.concat(std::vector{p.gather(made, shuffled(5)),
                                       random_fact(p, 2, Shape::column(10), 8)}));
    read_pairs(p, made);
  });
}

}  // namespace
}  // namespace vecc::test
