// Shapes and parameters that only the whole graph shows to be wrong: exact messages, exit code 3.
#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

/// Facts of group 0, to be read by neuron 3, in group 1 "h".
struct BadNeuron {
  GraphBuilder builder;
  NeuronId three;
  NeuronId four;
  NeuronId scalar;
  GroupIndex h;

  BadNeuron() {
    const GroupIndex facts = builder.group("f", NeuronClass::Fact);
    three = builder.fact(facts, Shape::column(3), {1, 2, 3});
    four = builder.fact(facts, Shape::column(4), {1, 2, 3, 4});
    scalar = builder.fact(facts, 5);
    h = builder.group("h");
  }
};

void expect_error(const GraphBuilder& builder, const std::string& message) {
  const auto vectorized = vectorize(builder.build());
  ASSERT_FALSE(vectorized);
  EXPECT_EQ(vectorized.error().text(), "group 1 \"h\", neuron 3: error: " + message);
  EXPECT_EQ(vectorized.error().exit_code(), ExitCode::BadInput);
}

TEST(BadShape, bad_weight_times_input) {
  BadNeuron bad;
  const WeightId w = bad.builder.weight("w", Shape(3, 1), {1, 2, 3});
  bad.builder.neuron(bad.h, function(Combination::Sum), {bad.scalar, bad.four}, {kNoWeight, w});
  expect_error(bad.builder,
               "input 1: weight 3x1 times input 4x1 is undefined: the weight's columns must equal "
               "the input's rows [E014]");
}

TEST(BadShape, bad_sum_of_lengths) {
  BadNeuron bad;
  bad.builder.neuron(bad.h, function(Combination::Sum), {bad.three, bad.four});
  expect_error(bad.builder, "sum of shapes 3x1 and 4x1 is undefined [E014]");
}

TEST(BadShape, bad_max_of_scalar_and_vector) {
  BadNeuron bad;
  bad.builder.neuron(bad.h, function(Combination::Max), {bad.three, bad.scalar});
  expect_error(bad.builder, "max of shapes 3x1 and 1 is undefined [E014]");
}

TEST(BadShape, bad_softmax_of_vectors) {
  BadNeuron bad;
  bad.builder.neuron(bad.h, function(Combination::Softmax), {bad.scalar, bad.three});
  expect_error(bad.builder, "softmax combines scalars, but an element has shape 3x1 [E017]");
}

TEST(BadShape, bad_declared_shape) {
  BadNeuron bad;
  bad.builder.neuron(bad.h, function(Combination::Sum), {bad.three}, {}, kNoWeight, {},
                     Shape::column(4));
  expect_error(bad.builder, "has shape 3x1, but declares 4x1 [E014]");
}

// One error a group, however many neurons have it; another group's, and another error, by itself.
TEST(BadShape, bad_shape_of_a_whole_group_is_one_error) {
  BadNeuron bad;
  const NeuronId first = 3;
  for (int i = 0; i < 50'000; ++i) {
    bad.builder.neuron(bad.h, function(Combination::Sum), {bad.three}, {}, kNoWeight, {},
                       Shape::column(4));
  }
  bad.builder.neuron(bad.h, function(Combination::Sum), {bad.three, bad.four});
  const GroupIndex other = bad.builder.group("other");
  bad.builder.neuron(other, function(Combination::Sum), {bad.three}, {}, kNoWeight, {},
                     Shape::column(4));
  const auto vectorized = vectorize(bad.builder.build());
  ASSERT_FALSE(vectorized);
  const std::string declares = "error: has shape 3x1, but declares 4x1";
  EXPECT_EQ(
      vectorized.error().text(),
      "group 1 \"h\", neuron " + std::to_string(first) + ": " + declares +
          "; 49,999 more neurons of the group have the same error [E014]\n"
          "group 1 \"h\", neuron 50003: error: sum of shapes 3x1 and 4x1 is undefined [E014]\n"
          "group 2 \"other\", neuron 50004: " +
          declares + " [E014]");
}

TEST(BadShape, bad_declared_length_of_a_softmax) {
  BadNeuron bad;
  bad.builder.neuron(bad.h, function(Combination::Softmax), {bad.scalar, bad.scalar}, {}, kNoWeight,
                     {}, Shape::column(3));
  expect_error(bad.builder, "has shape 2x1, but declares 3x1 [E014]");
}

TEST(BadShape, bad_member_of_a_softmax) {
  BadNeuron bad;
  const GroupIndex softmax = bad.builder.group("softmax");
  const NeuronId at = bad.builder.neuron(bad.h, function(Combination::Sum, Transformation::AtIndex),
                                         {bad.scalar}, {}, kNoWeight, {2});
  bad.builder.set_inputs(
      at, {bad.builder.neuron(softmax, function(Combination::Softmax), {bad.scalar, bad.scalar})});
  expect_error(bad.builder, "atindex 2 of a value with 2 elements [E018]");
}

class BadTransformation : public testing::TestWithParam<Transformation> {};

TEST_P(BadTransformation, bad_transformation_of_a_scalar) {
  BadNeuron bad;
  bad.builder.neuron(bad.h, function(Combination::Sum, GetParam()), {bad.scalar}, {}, kNoWeight,
                     std::vector<std::uint32_t>(word_count(GetParam()), 0));
  expect_error(bad.builder, std::string(info(GetParam()).text) +
                                " of a scalar, expected a vector or a matrix [E017]");
}

INSTANTIATE_TEST_SUITE_P(Tensors, BadTransformation,
                         testing::Values(Transformation::Norm, Transformation::Softmax,
                                         Transformation::Sparsemax, Transformation::Slice),
                         [](const auto& test) { return std::string(vecc::info(test.param).text); });

TEST(BadShape, bad_neurons_of_a_layer_are_all_counted) {
  BadNeuron bad;
  for (int k = 0; k < 3; ++k) {
    bad.builder.neuron(bad.h, function(Combination::Sum), {bad.three, bad.four});
  }
  expect_error(bad.builder,
               "sum of shapes 3x1 and 4x1 is undefined; 2 more neurons of the group have the same "
               "error [E014]");
}

}  // namespace
}  // namespace vecc::test
