// What a long list of operands costs is linear in its length, whatever combines them: counted, not
// timed.
#include <gtest/gtest.h>

#include <string>

#include "tests/plan/counted_work.h"
#include "tests/support/graph_builder.h"
#include "tests/support/wide_graphs.h"

namespace vecc::test {
namespace {

class Width : public testing::TestWithParam<WideFunction> {};

TEST_P(Width, FourTimesTheOperandsAreFourTimesTheWork) {
  SCOPED_TRACE(std::string(GetParam().name) + " of " + GetParam().members);
  const Work once = work_of(wide_function_graph(GetParam(), 1000));
  const Work more = work_of(wide_function_graph(GetParam(), 4000));
  expect_linear(once, more, 4.5);
  // Lists as trees have a few more shapes.
  EXPECT_LE(more.kernels, once.kernels + 24) << "of another length, no other kernels";
}

INSTANTIATE_TEST_SUITE_P(Functions, Width, testing::ValuesIn(kWideFunctions));

// A learnable matrix each, and a column at the end.
NeuronGraph product_graph(std::uint32_t matrices) {
  GraphBuilder b;
  std::vector<double> values;
  for (std::uint32_t i = 0; i < 9 * matrices; ++i) values.push_back(i % 4 == 0 ? 1 : .01);
  const WeightId first = b.weight_table("w", matrices, Shape(3, 3), values);
  const GroupIndex facts = b.group("matrix");
  std::vector<NeuronId> factors;
  for (std::uint32_t k = 0; k < matrices; ++k)
    factors.push_back(b.learnable_fact(facts, first + k));
  factors.push_back(b.fact(b.group("x", NeuronClass::Fact), Shape::column(3), {1, 2, 3}));
  b.sample(b.neuron(b.group("product"), function(Combination::Product), factors));
  return b.build();
}

TEST(ProductOfManyMatrices, TwiceAsManyAreTwiceTheWork) {
  const Work once = work_of(product_graph(400));
  const Work twice = work_of(product_graph(800));
  expect_linear(once, twice, 2.2);
  EXPECT_LE(twice.kernels, once.kernels + 2);
}

// From the column on, at once: not a matrix more each round.
TEST(ProductOfManyMatrices, IsOrderedInOneRound) {
  const Program program = vectorize(product_graph(300))->program;
  OptimizeReport report;
  const auto optimized = optimize(program, {}, &report);
  ASSERT_TRUE(optimized) << optimized.error().text();
  std::uint64_t rounds = 0;
  for (const PassRun& pass : report.runs) {
    for (const auto& [what, count] : pass.counters) {
      if (what == "rounds") rounds += count;
    }
  }
  EXPECT_EQ(rounds, 1u);
  std::size_t products = 0;
  for (const Op& op : optimized->ops()) {
    if (op.kind() != OpKind::Linear) continue;
    ++products;
    EXPECT_EQ(op.shape, Shape::column(3));
  }
  EXPECT_EQ(products, 300u);
}

}  // namespace
}  // namespace vecc::test
