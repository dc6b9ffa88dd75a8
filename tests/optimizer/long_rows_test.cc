// Passes over so many rows that threads share them: the same Program for any number.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/program/members.h"
#include "tests/support/random_source.h"
#include "vecc/differentiate.h"
#include "vecc/optimize.h"
#include "vecc/program.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kNodes = 80000;
constexpr std::uint32_t kTypes = 7;

// Segments of 0 to 3 members, with about 1.5 for each node.
std::vector<std::uint32_t> random_degrees(RandomSource& random) {
  std::vector<std::uint32_t> degrees(kNodes);
  std::ranges::generate(degrees, [&] { return random.below(4); });
  return degrees;
}

// Two layers over one typed graph, means of typed products, of nodes of which many have the same
// row; their gradients stand behind them, if wanted.
Program typed_graph(bool differentiated) {
  RandomSource random(11);
  const std::vector<std::uint32_t> degrees = random_degrees(random);
  std::uint32_t edges = 0;
  for (const std::uint32_t degree : degrees) edges += degree;
  std::vector<std::uint32_t> sources(edges);
  std::vector<std::uint32_t> types(edges);
  std::vector<std::uint32_t> rows(kNodes);
  std::ranges::generate(sources, [&] { return random.below(kNodes); });
  std::ranges::generate(types, [&] { return random.below(kTypes); });
  std::ranges::generate(rows, [&] { return random.below(kNodes / 2); });
  Program program(DType::F64);
  program.set_sample_count(kNodes);
  const auto x = program.add_parameter({"x", kNodes / 2, Shape::column(4), nullptr});
  ValueId layer = program.gather(program.weight(*x), Index::list(rows));
  std::vector<ParameterIndex> parameters{*x};
  for (const char* name : {"w1", "w2"}) {
    const auto w = program.add_parameter({name, kTypes, Shape(4, 4), nullptr});
    parameters.push_back(*w);
    const ValueId products = program.linear(program.gather(program.weight(*w), Index::list(types)),
                                            program.gather(layer, Index::list(sources)));
    const ValueId means = program.segment(products, segments_of_lengths(degrees), Combination::Avg);
    TransformationSpec tanh;
    tanh.id = Transformation::Tanh;
    layer = program.transform(means, tanh);
  }
  program.output(layer, Index::slice(0, kNodes));
  if (!differentiated) return program;
  const Seed seed{layer,
                  program.fact(std::vector<double>(4 * kNodes, 1), kNodes, Shape::column(4))};
  const auto gradients = append_gradients(program, {&seed, 1}, parameters);
  EXPECT_TRUE(gradients.has_value());
  return program;
}

TEST(LongRows, are_optimized_the_same_by_any_number_of_threads) {
  for (const bool differentiated : {false, true}) {
    const Program program = typed_graph(differentiated);
    OptimizeOptions options;
    options.threads = 1;
    const auto one = optimize(program, options);
    ASSERT_TRUE(one.has_value()) << one.error().text();
    EXPECT_NE(fingerprint(*one), fingerprint(program));
    for (const std::uint32_t threads : {2, 5}) {
      options.threads = threads;
      const auto many = optimize(program, options);
      ASSERT_TRUE(many.has_value()) << many.error().text();
      EXPECT_EQ(fingerprint(*many), fingerprint(*one)) << threads;
    }
  }
}

}  // namespace
}  // namespace vecc::test
