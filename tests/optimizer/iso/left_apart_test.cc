// What passes behind iso-compress need not look for: rows that it would have merged.
#include <gtest/gtest.h>

#include <algorithm>

#include "optimizer/passes/pass_context.h"
#include "optimizer/rewrite/row_classes.h"
#include "tests/optimizer/iso/iso_check.h"
#include "tests/program/random_program.h"
#include "vecc/differentiate.h"

namespace vecc::test {
namespace {

// With the gradients of all parameters in it, where there are some and they can be had.
Program with_gradients(Program program) {
  std::vector<ParameterIndex> all(program.parameters().size());
  std::vector<Seed> seeds;
  for (ParameterIndex p = 0; p < all.size(); ++p) all[p] = p;
  const auto count = static_cast<ValueId>(program.ops().size());
  for (ValueId id = 0; id < count; ++id) {
    const Op op = program.op(id);
    if (op.kind() != OpKind::Output || op.size() == 0) continue;
    std::vector<double> numbers(op.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 3);
    seeds.push_back({id, program.fact(std::move(numbers), op.rows, op.shape)});
  }
  const Program before = program;
  return append_gradients(program, seeds, all) ? std::move(program) : before;
}

Program after(Program program, const std::vector<std::vector<std::string>>& runs) {
  for (const std::vector<std::string>& passes : runs) {
    OptimizeOptions options;
    options.passes = passes;
    auto made = optimize(std::move(program), options);
    VECC_CHECK(made.has_value(), made.error().text());
    program = *std::move(made);
  }
  return program;
}

// Of the values that are said to be told apart all classes are, and those of members are the same.
void expect_told_apart(const Program& program) {
  const opt::RowClasses expected(program);
  const opt::RowClasses found(program, /*told_apart=*/true);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    std::vector<std::uint32_t> classes;
    for (std::uint32_t row = 0; row < op.rows; ++row) classes.push_back(expected.of(id)[row]);
    if (op.kind() == OpKind::Segment) {
      const ValueId members = op.operands[0];
      for (std::uint32_t row = 0; row < program.op(members).rows; ++row) {
        ASSERT_EQ(found.of(members)[row], expected.of(members)[row]) << id << ", row " << row;
      }
    }
    EXPECT_EQ(found.are_told_apart(id), opt::makes_new_rows(program, id));
    if (!found.are_told_apart(id)) continue;
    std::ranges::sort(classes);
    EXPECT_EQ(std::ranges::adjacent_find(classes), classes.end()) << "of " << id;
  }
}

TEST(IsoLeftApart, no_two_rows_of_a_value_are_found_equal) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomSource random(seed);
    const Program program =
        random_row_number_program(random, 1 + static_cast<std::uint32_t>(seed % 40));
    SCOPED_TRACE(seed);
    expect_told_apart(after(program, {{"iso-compress"}}));
    expect_told_apart(after(with_gradients(program), {{"iso-compress"}}));
  }
}

// Passes of one run know what the ones before them left; passes of runs of their own do not.
TEST(IsoLeftApart, passes_behind_it_make_the_same_program) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomSource random(seed);
    const Program program =
        random_row_number_program(random, 1 + static_cast<std::uint32_t>(seed % 40));
    SCOPED_TRACE(seed);
    for (const Program& one : {program, with_gradients(program)}) {
      const Program together = after(one, {{"iso-compress", "dedup-rows", "fold-multiplicity"}});
      const Program apart = after(one, {{"iso-compress"}, {"dedup-rows"}, {"fold-multiplicity"}});
      EXPECT_EQ(fingerprint(together), fingerprint(apart));
    }
  }
}

// A pass that changes the Program has to say it anew.
TEST(IsoLeftApart, what_is_known_ends_with_a_change) {
  const OptimizeOptions options;
  const GatherPreset preset;
  opt::PassContext context(options, preset, PadMode::Never);
  context.end_pass(false);
  EXPECT_FALSE(context.rows_are_told_apart());
  context.leave_rows_told_apart();
  context.end_pass(true);
  EXPECT_TRUE(context.rows_are_told_apart());
  context.end_pass(false);
  EXPECT_TRUE(context.rows_are_told_apart());
  context.end_pass(true);
  EXPECT_FALSE(context.rows_are_told_apart());
}

}  // namespace
}  // namespace vecc::test
