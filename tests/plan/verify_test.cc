// Plans of Programs of every kind obey the rules, with and without fusion, kept values, stages.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "src/train/step_program.h"
#include "tests/program/random_program.h"
#include "tests/program/recursive_levels.h"
#include "tests/support/random_graph.h"
#include "vecc/differentiate.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/plan.h"
#include "vecc/program_text.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

void expect_verified(const Program& program, const PlanOptions& options, const char* what) {
  const Plan plan = make_plan(program, options);
  const auto verified = verify(plan);
  ASSERT_TRUE(verified) << what << ": " << verified.error().text() << "\n"
                        << print(program) << text_of(plan, program);
}

// Every value that the host may read has its place.
void expect_all_stored(const Program& program) {
  PlanOptions options;
  options.keep_values = true;
  const Plan plan = make_plan(program, options);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    ASSERT_TRUE(plan.places[id].buffer != kNone || program.op(id).size() == 0)
        << print_op(program, id);
  }
}

void check_plans(const Program& program, ValueId second_stage = kNone) {
  PlanOptions options;
  options.second_stage = second_stage;
  expect_verified(program, options, "fused");
  options.keep_values = true;
  expect_verified(program, options, "fused, all kept");
  options.fuse = false;
  expect_verified(program, options, "not fused, all kept");
  options.keep_values = false;
  expect_verified(program, options, "not fused");
  options = {.second_stage = second_stage};
  options.target.pieces.longest = 3;
  expect_verified(program, options, "in short pieces");
  options.target = default_gpu();
  expect_verified(program, options, "as for a GPU");
  options.target.launches_at_once = 1;
  options.target.cache_bytes = 0;
  options.target.pieces = {3, 2, 1, 3, 3, 0};
  expect_verified(program, options, "as for a GPU, in short pieces, memory is used again");
  expect_all_stored(program);
}

// Its backward pass appended, from outputs whose gradients are zeros; a second stage.
void check_backward_plans(Program program) {
  const auto forward_ops = static_cast<ValueId>(program.ops().size());
  std::vector<Seed> seeds;
  for (ValueId id = 0; id < forward_ops; ++id) {
    if (program.op(id).kind() != OpKind::Output) continue;
    const Op& op = program.op(id);
    seeds.push_back({id, program.fact(std::vector<double>(op.size(), 1), op.rows, op.shape)});
  }
  std::vector<ParameterIndex> all(program.parameters().size());
  std::iota(all.begin(), all.end(), 0u);
  const auto gradients = append_gradients(program, seeds, all);
  ASSERT_TRUE(gradients) << gradients.error().text();
  check_plans(program, forward_ops);
}

// A training step of all samples, each with a target.
void check_step_plans(NeuronGraph graph, const Program& forward, Optimizer optimizer) {
  std::vector<std::uint32_t> samples(graph.samples.size());
  std::iota(samples.begin(), samples.end(), 0u);
  TrainOptions options;
  options.optimizer.optimizer = optimizer;
  const auto step =
      training::make_step_program(graph, forward, samples, nullptr, /*optimizes=*/true, options);
  if (!step) return;  // a sample without a target
  check_plans(step->program);
}

class PlansOfRandomPrograms : public testing::TestWithParam<std::uint32_t> {};

TEST_P(PlansOfRandomPrograms, ObeyTheRules) {
  RandomSource random(GetParam());
  for (int i = 0; i < 40; ++i) {
    check_plans(random_program(random, 1 + random.below(20)));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlansOfRandomPrograms, testing::Range(0u, 10u));

class PlansOfRandomGraphs : public testing::TestWithParam<std::uint64_t> {
 protected:
  const NeuronGraph graph_ = random_graph(random_options(GetParam())).graph;
  const Program program_ = vectorize(graph_)->program;
};

TEST_P(PlansOfRandomGraphs, ObeyTheRules) {
  check_plans(program_);
}
TEST_P(PlansOfRandomGraphs, ObeyTheRulesOptimized) {
  check_plans(optimize(program_).value());
}
TEST_P(PlansOfRandomGraphs, ObeyTheRulesBackwards) {
  check_backward_plans(program_);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlansOfRandomGraphs, testing::Range<std::uint64_t>(0, 60));

class PlansOfDatasets : public testing::TestWithParam<const char*> {};

TEST_P(PlansOfDatasets, ObeyTheRules) {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  const auto graph = read_graph(std::string(source) + "/datasets/" + GetParam() + ".pb");
  ASSERT_TRUE(graph) << graph.error().text();
  const Program program = vectorize(*graph)->program;
  check_plans(program);
  check_backward_plans(program);
  const Program optimized = optimize(program).value();
  check_plans(optimized);
  for (const OptimizerInfo& each : optimizers()) check_step_plans(*graph, optimized, each.id);
}

INSTANTIATE_TEST_SUITE_P(Shipped, PlansOfDatasets,
                         testing::Values("mutagenesis", "attention", "xor"));

TEST(PlansOfRecursion, ObeyTheRules) {
  for (const std::uint32_t levels : {1u, 5u, 200u}) {
    const Program program = recursive_program(levels, /*learns=*/false);
    check_plans(program);
    check_backward_plans(program);
  }
}

TEST(PlanText, IsTheSameEveryTime) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Program program = vectorize(random_graph(random_options(seed)).graph)->program;
    EXPECT_EQ(text_of(make_plan(program), program), text_of(make_plan(program), program));
  }
}

TEST(PlanText, NamesAreEscaped) {
  Program program;
  const auto w = program.add_parameter({"a\n\"b\x1b", 1, Shape(), nullptr}).value();
  program.transform(program.weight(w), {.id = Transformation::Relu, .target = {}}, {}, "x\ny\x1b");
  program.set_sample_count(1);
  program.output(1, Index::slice(0, 1));
  const std::string text = text_of(make_plan(program), program);
  EXPECT_NE(text.find("parameter \"a\\n\\\"b\\x1b\""), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// What a GPU's Plan stores is in rows that are known when it is made.
TEST(VerifyPlan, bad_update_of_rows_that_are_values_on_a_gpu) {
  const Program program = parse_program(R"(vecc program 1 f64 samples 0
parameter "w" [3, 1] = {0, 0, 0}
%0 = weight "w" : f64[3, 1]
%1 = fact {2, 1, 0} : f64[3, 1]
%2 = fact {1, 2, 3} : f64[3, 1]
%3 = update %0, %2, %1 : f64[3, 1]
)",
                                        "test")
                              .value();
  EXPECT_THROW(static_cast<void>(make_plan(program, PlanOptions{.target = default_gpu()})),
               InternalError);
}

}  // namespace
}  // namespace vecc::test
