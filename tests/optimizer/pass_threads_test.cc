// Single passes over so many rows that threads share them: each changes the Program, and makes the
// same one by any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "src/program/members.h"
#include "tests/support/random_source.h"
#include "vecc/optimize.h"
#include "vecc/program.h"

namespace vecc::test {
namespace {

class PassThreads : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kRows = 150'000;
  static constexpr Shape kPair{2, 1};

  static Index random_list(RandomSource& random, std::uint32_t count, std::uint32_t below) {
    std::vector<std::uint32_t> rows(count);
    std::ranges::generate(rows, [&] { return random.below(below); });
    return Index::list(std::move(rows));
  }

  static TransformationSpec tanh_spec() {
    TransformationSpec spec;
    spec.id = Transformation::Tanh;
    return spec;
  }

  static Program with_output(Program program, ValueId value) {
    const std::uint32_t rows = program.op(value).rows;
    program.set_sample_count(rows);
    program.output(value, Index::slice(0, rows));
    return program;
  }

  static Program optimized(const Program& program, const std::string& pass, std::uint32_t threads) {
    OptimizeOptions options;
    options.passes = {pass};
    options.threads = threads;
    auto after = optimize(program, options);
    EXPECT_TRUE(after.has_value()) << after.error().text();
    return *std::move(after);
  }

  static void expect_same(const Program& program, const std::string& pass) {
    const Program one = optimized(program, pass, 1);
    EXPECT_NE(fingerprint(one), fingerprint(program)) << pass;
    for (const std::uint32_t threads : {2, 5}) {
      EXPECT_EQ(fingerprint(optimized(program, pass, threads)), fingerprint(one))
          << pass << threads;
    }
  }

  static ValueId parameter(Program& program, const char* name, std::uint32_t rows, Shape shape) {
    return program.weight(program.add_parameter({name, rows, shape, nullptr}).value());
  }
};

// Rows of which most are constant, some of them needed by sums that a weight reaches.
TEST_F(PassThreads, fold_constants_in_part) {
  RandomSource random(3);
  Program program(DType::F64);
  const ValueId x = parameter(program, "x", kRows / 10, kPair);
  std::vector<double> numbers(kRows / 2 * kPair.size());
  std::ranges::generate(numbers, [&] { return random.below(1000); });
  const ValueId fact = program.fact(std::move(numbers), kRows / 2, kPair);
  const ValueId operands[] = {x, fact};
  const ValueId all = program.concat(operands);
  const ValueId read = program.gather(all, random_list(random, kRows, kRows / 10 * 6));
  const ValueId active = program.transform(read, tanh_spec());
  const ValueId few = program.gather(active, random_list(random, kRows, kRows / 2));
  const ValueId sums = program.segment(few, Segments::fixed(3), Combination::Sum);
  expect_same(with_output(std::move(program), sums), "fold-constants");
}

TEST_F(PassThreads, dedup_linear_pairs) {
  RandomSource random(4);
  Program program(DType::F64);
  const ValueId w = parameter(program, "w", 5, Shape(2, 2));
  const ValueId x = parameter(program, "x", kRows / 10, kPair);
  const ValueId products =
      program.linear(program.gather(w, random_list(random, kRows, 5)),
                     program.gather(x, random_list(random, kRows, kRows / 10)));
  const ValueId again = program.linear(program.gather(w, random_list(random, kRows, 5)), products);
  expect_same(with_output(std::move(program), again), "dedup-linear-pairs");
}

// Two readers, and rows that none reads.
TEST_F(PassThreads, reorder_rows) {
  RandomSource random(5);
  Program program(DType::F64);
  const ValueId x = parameter(program, "x", kRows, kPair);
  const ValueId active =
      program.transform(program.gather(x, random_list(random, kRows, kRows)), tanh_spec());
  const ValueId sums =
      program.segment(program.gather(active, random_list(random, kRows, kRows / 2)),
                      Segments::fixed(3), Combination::Sum);
  const ValueId others =
      program.segment(program.gather(active, random_list(random, kRows / 2, kRows)),
                      Segments::fixed(2), Combination::Sum);
  const ValueId operands[] = {sums, others};
  const ValueId both = program.concat(operands);
  expect_same(with_output(std::move(program), both), "reorder-rows");
}

// Whole segments of a softmax: equal ones, and some of which nothing is read.
TEST_F(PassThreads, dedup_rows_of_softmax) {
  RandomSource random(6);
  Program program(DType::F64);
  const ValueId x = parameter(program, "x", 40, Shape::scalar());
  const ValueId scores = program.gather(x, random_list(random, kRows, 40));
  const ValueId shares = program.segment(scores, Segments::fixed(2), Combination::Softmax);
  const ValueId read = program.gather(shares, random_list(random, kRows / 2, kRows / 2));
  expect_same(with_output(std::move(program), read), "dedup-rows");
}

}  // namespace
}  // namespace vecc::test
