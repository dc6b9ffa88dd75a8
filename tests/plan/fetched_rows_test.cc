// Which facts in the host's memory are fetched, and what a Plan is then.
#include "src/plan/fetched_rows.h"

#include <gtest/gtest.h>

namespace vecc::test {
namespace {

// A fact of 6 rows that is read by a list and row by row.
Program program_of_rows() {
  Program program;
  program.set_sample_count(6);
  const ValueId features = program.fact(std::vector<double>(24, 0.5), 6, Shape::column(4));
  const ValueId operands[] = {program.gather(features, Index::list({5, 3, 3, 0, 1, 2})), features};
  program.output(program.map(*parse_expr("sum($0, $1)", "test"), operands), Index::slice(0, 6));
  return program;
}

Plan plan_of_rows(const Program& program) {
  PlanOptions options;
  options.target = *find_target("h200");
  return make_plan(program, options);
}

TEST(FetchedRowsOf, a_fact_are_what_the_second_stage_reads) {
  const Program program = program_of_rows();
  Plan plan = plan_of_rows(program);
  const std::size_t launches = plan.launches.size();
  const auto facts = find_fetched(plan, program, find_tables(plan, program, TablePlace::Host));
  ASSERT_EQ(facts.size(), 1u);
  fetch_rows(plan, program, facts);
  const auto verified = verify(plan);
  ASSERT_TRUE(verified) << verified.error().text();
  ASSERT_EQ(plan.launches.size(), launches + 1);
  EXPECT_EQ(plan.launches.front().stage, 0u);
  EXPECT_EQ(plan.launches.front().rows, 6u);
  EXPECT_EQ(plan.launches.front().accesses.front().buffer, facts.front());
  const BufferIndex copy = plan.launches.front().accesses.back().buffer;
  std::size_t reads = 0;
  for (std::size_t l = 1; l < plan.launches.size(); ++l) {
    EXPECT_EQ(plan.launches[l].stage, 1u);
    for (const AccessBinding& access : plan.launches[l].accesses) {
      EXPECT_NE(access.buffer, facts.front());
      if (access.buffer == copy) ++reads;
    }
  }
  EXPECT_EQ(reads, 2u);
}

TEST(FetchedRowsOf, a_fact_are_none_where_it_is_on_the_device) {
  const Program program = program_of_rows();
  const Plan plan = plan_of_rows(program);
  const auto tables = find_tables(plan, program, TablePlace::Device);
  EXPECT_TRUE(find_fetched(plan, program, tables).empty());
}

// They would be copied twice: rows of a Plan that has a backward stage run again.
TEST(FetchedRowsOf, a_plan_of_two_stages_are_none) {
  const Program program = program_of_rows();
  Plan plan = plan_of_rows(program);
  plan.launches.back().stage = 1;
  const auto tables = find_tables(plan, program, TablePlace::Host);
  EXPECT_TRUE(find_fetched(plan, program, tables).empty());
}

}  // namespace
}  // namespace vecc::test
