// Which rows a batch runs, by a step small enough to say so by hand.
#include "src/batch/batch_binder.h"

#include <gtest/gtest.h>

#include "src/batch/batch_sizes.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Four samples read three rows; the gradient of row r is the sum over those that read it, and that
// of `w` the sum over the rows.
constexpr const char* kStep =
    "vecc program 1 f64 samples 4\n"
    "parameter \"w\" [1, 1] = {1}\n"
    "parameter \"other\" [1, 1] = {1}\n"
    "parameter \"weight\" [4, 1] = {0, 0, 0, 0}\n"
    "%0 = weight \"w\" : f64[1, 1]\n"
    "%1 = weight \"weight\" : f64[4, 1]\n"
    "%2 = fact {1, 2, 3} : f64[3, 1]\n"
    "%3 = linear %0 lift(repeat 3), %2 : f64[3, 1]\n"
    "%4 = transform %3 tanh : f64[3, 1]\n"
    "%5 = gather %4 [2, 0, 2, 1] : f64[4, 1]\n"
    "%6 = map elproduct($0, $1) %1, %5 : f64[4, 1]\n"
    "%7 = gather %6 [1, 3, 0, 2] : f64[4, 1]\n"
    "%8 = segment %7 [0, 1, 2, 4] sum : f64[3, 1]\n"
    "%9 = contract %8, %2 [repeat 1 x 3] : f64[1, 1]\n"
    "%10 = map sum($0, elproduct(-0.5, $1)) %0, %9 : f64[1, 1]\n"
    "%11 = update %0, %10 : f64[1, 1]\n"
    "%12 = output %5 [0:4] : f64[4, 1]\n";

struct Bound {
  BatchPlan plan;
  BatchRows rows;

  // The run of the launch that computes an op; null if it does not run.
  [[nodiscard]] const BatchRows::Run* run_of(ValueId op) const {
    for (const BatchRows::Run& run : rows.runs) {
      const ShortList& ops = plan.plan.launches[run.launch].ops;
      if (std::ranges::find(ops, op) != ops.end()) return &run;
    }
    return nullptr;
  }
};

Bound bind(const Numbers& samples) {
  const auto program = parse_program(kStep, "p");
  EXPECT_TRUE(program) << program.error().text();
  const BatchOptions options{{2}, {{11, 0}}, false};
  auto plan = make_batch_plan(make_plan(*program), *program, options);
  EXPECT_TRUE(plan) << plan.error().text();
  const auto verified = verify(plan->plan);
  EXPECT_TRUE(verified) << verified.error().text();
  Bound bound{std::move(*plan), {}};
  BatchBinder binder(bound.plan);
  Batch batch;
  batch.weights.push_back({samples, std::vector<double>(samples.size(), 1.0)});
  binder.bind({{{{0, 1, 2, 3}, {1, 1, 1, 1}}}, {}}, bound.rows);  // what was before leaves nothing
  binder.bind(batch, bound.rows);
  return bound;
}

TEST(BatchBinder, runs_the_rows_that_a_sample_reaches) {
  const Bound bound = bind({1});  // reads row 0
  for (const ValueId forward : {3u, 4u}) {
    const auto* run = bound.run_of(forward);
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(run->rows, 1u);
    EXPECT_EQ(bound.rows.tiles[run->first_tile].begin, 0u);
  }
  const auto* gradient = bound.run_of(6);
  ASSERT_NE(gradient, nullptr);
  EXPECT_EQ(gradient->rows, 1u);
  EXPECT_EQ(bound.rows.tiles[gradient->first_tile].begin, 1u);
  const auto* sum = bound.run_of(8);
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->rows, 1u);
  EXPECT_EQ(bound.rows.wide[sum->offsets], 0u);
  EXPECT_EQ(bound.rows.wide[sum->offsets + 1], 1u);
  EXPECT_TRUE(bound.rows.zeros.empty());
}

TEST(BatchBinder, a_sum_has_the_members_of_the_batch) {
  const Bound bound = bind({1, 2});  // rows 0 and 2; row 2 is read by sample 0, too
  const auto* sum = bound.run_of(8);
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->rows, 2u);
  const auto offsets = bound.rows.wide.begin() + sum->offsets;
  EXPECT_EQ(Numbers(offsets, offsets + 3), (Numbers{0, 1, 2}));
  const auto members = bound.rows.narrow.begin() + bound.rows.lists[sum->lists];
  EXPECT_EQ(Numbers(members, members + 2), (Numbers{1, 2}));
  const auto* all = bound.run_of(9);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(bound.rows.wide[all->offsets + 1], 2u);
}

RowSizes sizes_of(ValueId op, const Batch& batch) {
  const Bound bound = bind({0});
  const std::vector<RowSizes> sizes = batch_sizes(bound.plan.plan, bound.plan, batch).launches;
  for (std::size_t l = 0; l < sizes.size(); ++l) {
    const ShortList& ops = bound.plan.plan.launches[l].ops;
    if (std::ranges::find(ops, op) != ops.end()) return sizes[l];
  }
  ADD_FAILURE() << "no launch computes %" << op;
  return {};
}

void expect_sizes(const RowSizes& sizes, std::uint32_t rows, std::uint64_t members,
                  std::uint32_t longest) {
  EXPECT_EQ(sizes.rows, rows);
  ASSERT_EQ(sizes.classes.size(), 1u);
  EXPECT_EQ(sizes.classes[0].rows, rows);
  EXPECT_EQ(sizes.classes[0].members, members);
  EXPECT_EQ(sizes.classes[0].longest, longest);
}

TEST(BatchSizes, are_those_of_what_the_batch_runs) {
  Batch batch;
  batch.weights.push_back({{1, 2}, {1, 1}});
  expect_sizes(sizes_of(8, batch), 2, 2, 1);
  expect_sizes(sizes_of(9, batch), 1, 2, 2);  // a sum over the two rows
  expect_sizes(sizes_of(4, batch), 2, 0, 0);
}

TEST(BatchSizes, without_a_batch_are_those_of_all_rows) {
  expect_sizes(sizes_of(8, Batch()), 3, 4, 2);
  expect_sizes(sizes_of(9, Batch()), 1, 3, 3);
}

TEST(BatchSizes, of_what_does_not_run_are_those_of_a_usual_row) {
  Batch batch;
  batch.weights.emplace_back();
  expect_sizes(sizes_of(8, batch), 1, 2, 2);  // 4 members of 3 rows
}

TEST(BatchBinder, a_batch_of_nothing_leaves_parameters_as_they_are) {
  const Bound bound = bind({});
  EXPECT_TRUE(bound.rows.runs.empty());
}

TEST(BatchBinder, refuses_a_gradient_that_is_there_without_samples) {
  std::string text = kStep;
  const std::string sum = "map elproduct($0, $1) %1, %5";
  text.replace(text.find(sum), sum.size(), "map sum($0, $1) %1, %5");
  const auto program = parse_program(text, "p");
  ASSERT_TRUE(program) << program.error().text();
  const auto plan = make_batch_plan(make_plan(*program), *program, {{1}, {{11, 0}}, false});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().list().front().code, ErrorCode::BackendUnsupported);
}

}  // namespace
}  // namespace vecc::test
