// Of the passes over gathers and concats, what their golden cases cannot show: depth, width
// of the backend, and how much nearer rows come.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "vecc/optimize.h"
#include "vecc/program_text.h"

namespace vecc {
namespace {

using Rows = std::vector<std::uint32_t>;

Program run_pass(Program program, std::string pass, OptimizeReport* report = nullptr) {
  OptimizeOptions options;
  options.passes = {{std::move(pass)}};
  options.verify_each = true;
  auto result = optimize(std::move(program), options, report);
  EXPECT_TRUE(result.has_value()) << result.error().text();
  return std::move(*result);
}

ValueId transformed(Program& program, ValueId value, Transformation transformation) {
  TransformationSpec spec;
  spec.id = transformation;
  return program.transform(value, spec);
}

void finish(Program& program, ValueId value) {
  program.output(value, Index::slice(0, program.op(value).rows));
  program.set_sample_count(program.op(value).rows);
}

std::size_t count_kind(const Program& program, OpKind kind) {
  return static_cast<std::size_t>(std::ranges::count(program.ops(), kind, &Op::kind));
}

std::uint64_t counter(const OptimizeReport& report, std::string_view name) {
  for (const auto& [what, amount] : report.runs.front().counters) {
    if (what == name) return amount;
  }
  return 0;
}

// A buffer that grows by a level at a time.
constexpr std::uint32_t kLevels = 20'000;

TEST(SimplifyGathers, reads_the_innermost_of_many_concats) {
  Program program;
  ValueId buffer = program.fact({1, 2, 3}, 3, Shape());
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const ValueId added = program.fact({0.5}, 1, Shape());
    buffer = program.concat(std::vector{buffer, added});
  }
  finish(program, program.gather(buffer, Index::list({2, 0, 2})));
  const Program after = run_pass(std::move(program), "simplify-gathers");
  EXPECT_EQ(count_kind(after, OpKind::Concat), 0u);
  EXPECT_EQ(after.ops().size(), 3u) << print(after);
}

TEST(SimplifyGathers, drops_what_only_dropped_operands_read) {
  // Each level's gather reads the two values that it adds, never the buffer before it.
  Program program;
  ValueId buffer = program.fact({1, 2, 3}, 3, Shape());
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const ValueId a = program.fact({0.5, 1}, 2, Shape());
    const ValueId b = program.fact({0.25, 2}, 2, Shape());
    buffer = program.concat(std::vector{buffer, a, b});
  }
  const std::uint32_t last = program.op(buffer).rows - 4;
  finish(program, program.gather(buffer, Index::list({last + 3, last, last + 1})));
  const Program after = run_pass(std::move(program), "simplify-gathers");
  EXPECT_EQ(count_kind(after, OpKind::Concat), 1u);
  EXPECT_EQ(count_kind(after, OpKind::Fact), 2u);
}

TEST(ConcatGather, flattens_many_levels_at_once) {
  Program program;
  ValueId inner = program.fact({1, 2, 3}, 3, Shape());
  const ValueId added = transformed(program, inner, Transformation::Tanh);
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    inner = program.concat(std::vector{added, inner});
  }
  finish(program, inner);
  OptimizeReport report;
  const Program after = run_pass(std::move(program), "concat-gather", &report);
  ASSERT_EQ(count_kind(after, OpKind::Concat), 1u);
  EXPECT_EQ(after.op(2).operands.size(), kLevels + 1);
  EXPECT_EQ(counter(report, "concats flattened"), kLevels - 1);
}

TEST(ConcatGather, holds_one_operand_of_many_equal_ones) {
  Program program;
  const ValueId fact = program.fact({1, 2, 3}, 3, Shape());
  const ValueId value = transformed(program, fact, Transformation::Tanh);
  const ValueId concat = program.concat(std::vector<ValueId>(kLevels, value));
  finish(program, program.gather(concat, Index::stride(2, 3, kLevels)));
  const Program after = run_pass(std::move(program), "concat-gather");
  EXPECT_EQ(count_kind(after, OpKind::Concat), 0u);
  EXPECT_EQ(std::get<GatherOp>(after.op(2).attributes).index, Index::list(Rows(kLevels, 2)));
}

// Segments of two sources with members of different number: two partials, instead of a concat and a
// gather.
TEST(SplitConcatGathers, counts_the_gather_that_goes_too) {
  Program program;
  const ValueId fact = program.fact({1, 2, 3, 4}, 4, Shape());
  const ValueId concat =
      program.concat(std::vector{transformed(program, fact, Transformation::Tanh),
                                 transformed(program, fact, Transformation::Exp)});
  const ValueId members = program.gather(concat, Index::list({0, 1, 5, 6, 2, 3, 7}));
  finish(program, program.segment(members, Segments::ragged({0, 3, 4, 4, 7}), Combination::Sum));
  EXPECT_EQ(count_kind(run_pass(std::move(program), "split-concat-gathers"), OpKind::Segment), 2u);
}

// A layer whose rows are shuffled, read by segments of neighbours on a line.
TEST(ReorderRows, brings_the_rows_of_a_shuffled_layer_together) {
  constexpr std::uint32_t kRows = 3000;
  Rows at(kRows);
  std::iota(at.begin(), at.end(), 0u);
  std::ranges::shuffle(at, std::mt19937(1));
  Rows from(kRows);
  for (std::uint32_t i = 0; i < kRows; ++i) from[at[i]] = i;
  Program program;
  const auto weights = program.add_parameter({"w", kRows, Shape(), nullptr});
  const ValueId layer = transformed(
      program, program.gather(program.weight(*weights), Index::list(from)), Transformation::Tanh);
  Rows members;
  for (std::uint32_t i = 0; i + 2 < kRows; ++i) {
    members.insert(members.end(), {at[i], at[i + 1], at[i + 2]});
  }
  finish(program, program.segment(program.gather(layer, Index::list(members)), Segments::fixed(3),
                                  Combination::Sum));
  OptimizeReport report;
  const Program after = run_pass(std::move(program), "reorder-rows", &report);
  EXPECT_GT(counter(report, "mean index distance before (hundredths)"), 50'000u);
  EXPECT_LT(counter(report, "mean index distance after (hundredths)"), 200u);
  EXPECT_EQ(count_kind(after, OpKind::Gather), 1u) << "the weight is read in order";
  run_pass(after, "reorder-rows", &(report = {}));
  EXPECT_FALSE(report.runs.front().changed);
}

}  // namespace
}  // namespace vecc
