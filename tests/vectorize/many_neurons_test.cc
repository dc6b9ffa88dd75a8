// Layers of so many neurons that they are classified and written in pieces: the same Program for
// any number of threads, the same values and the same errors as of few.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/graph_builder.h"
#include "tests/vectorize/vectorize_check.h"
#include "vecc/program_text.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kNeurons = 40'000;  // more than two pieces

/// Two layers of facts, of columns of 2 and of 3, and weights that make both columns of 2.
struct ManyNeurons {
  GraphBuilder builder;
  std::vector<NeuronId> twos;
  std::vector<NeuronId> threes;
  WeightId to_two;
  WeightId square;
  WeightId offset;

  ManyNeurons() {
    const GroupIndex two = builder.group("two", NeuronClass::Fact);
    const GroupIndex three = builder.group("three", NeuronClass::Fact);
    for (std::uint32_t i = 0; i < 300; ++i) {
      const double value = 0.01 * i - 1;
      twos.push_back(builder.fact(two, Shape::column(2), {value, -value}));
      threes.push_back(builder.fact(three, Shape::column(3), {value, 1, value / 2}));
    }
    to_two = builder.weight_table("to_two", 7, Shape(2, 3), numbers(7 * 6));
    square = builder.weight_table("square", 2, Shape(2, 2), numbers(2 * 4));
    offset = builder.weight("offset", Shape::column(2), {0.25, -0.5});
  }

  static std::vector<double> numbers(std::uint32_t count) {
    std::vector<double> values;
    for (std::uint32_t i = 0; i < count; ++i) values.push_back(0.1 * (i % 17) - 0.7);
    return values;
  }

  /// Sums of up to four elements of four classes, in changing orders; of the last neurons, other
  /// counts and one class more.
  std::vector<NeuronId> add_sums() {
    const GroupIndex group = builder.group("sum");
    std::vector<NeuronId> sums;
    for (std::uint32_t i = 0; i < kNeurons; ++i) {
      GraphBuilder::Inputs inputs;
      GraphBuilder::Weights weights;
      const auto add = [&](NeuronId input, WeightId weight) {
        inputs.push_back(input);
        weights.push_back(weight);
      };
      add(threes[i % 300], to_two + i % 7);
      if (i % 3 == 1) add(twos[i * 7 % 300], square + i % 2);
      if (i % 5 == 2) add(threes[i * 11 % 300], to_two + i % 5);
      if (i > kNeurons - 100) add(twos[i % 300], kNoWeight);
      const WeightId own = i % 4 == 3 ? offset : kNoWeight;
      sums.push_back(builder.neuron(group, function(Combination::Sum, Transformation::Tanh), inputs,
                                    weights, own));
    }
    return sums;
  }

  /// Columns of as many elements as each neuron has, one after another: a layer for each count.
  void add_concats(const std::vector<NeuronId>& sums) {
    const GroupIndex group = builder.group("concat");
    for (std::uint32_t i = 0; i < kNeurons; ++i) {
      GraphBuilder::Inputs inputs(1 + i / 1000 % 3, sums[i]);
      builder.neuron(group, concat_function(-1), std::move(inputs));
    }
  }

  /// Softmaxes over two or three scalars, and neurons that read one of their members.
  void add_softmaxes() {
    const GroupIndex facts = builder.group("score", NeuronClass::Fact);
    const GroupIndex group = builder.group("softmax");
    const GroupIndex member = builder.group("member");
    std::vector<NeuronId> scores;
    for (std::uint32_t i = 0; i < 100; ++i) scores.push_back(builder.fact(facts, 0.03 * i));
    std::vector<NeuronId> softmaxes;
    for (std::uint32_t i = 0; i < kNeurons; ++i) {
      GraphBuilder::Inputs inputs{scores[i % 100], scores[i * 3 % 100]};
      if (i % 2 == 1) inputs.push_back(scores[i * 7 % 100]);
      softmaxes.push_back(builder.neuron(group, function(Combination::Softmax), std::move(inputs)));
    }
    const NeuronFunction at = function(Combination::Sum, Transformation::AtIndex);
    for (std::uint32_t i = 0; i < kNeurons; ++i) {
      builder.neuron(member, at, {softmaxes[i]}, {}, kNoWeight, {i % 2});
    }
  }

  /// Weights as neurons' values.
  void add_learnable_facts() {
    const GroupIndex group = builder.group("learnable", NeuronClass::Fact);
    const GroupIndex reader = builder.group("reader");
    const WeightId table = builder.weight_table("embedding", kNeurons, Shape(), numbers(kNeurons));
    for (std::uint32_t i = 0; i < kNeurons; ++i) {
      const NeuronId fact = builder.learnable_fact(group, table + (i * 3 % kNeurons));
      if (i % 8 == 0) builder.neuron(reader, function(Combination::Sum), {fact});
    }
  }
};

NeuronGraph graph_of_all() {
  ManyNeurons many;
  many.add_concats(many.add_sums());
  many.add_softmaxes();
  many.add_learnable_facts();
  return many.builder.build();
}

TEST(ManyNeurons, have_the_values_of_the_reference) {
  check_vectorize(graph_of_all());
}

TEST(ManyNeurons, give_the_same_program_for_any_number_of_threads) {
  const NeuronGraph graph = graph_of_all();
  std::string first;
  for (const std::uint32_t threads : {1u, 2u, 5u}) {
    VectorizeOptions options;
    options.threads = threads;
    const auto vectorized = vectorize(graph, options);
    ASSERT_TRUE(vectorized) << vectorized.error().text();
    const std::string text = print(vectorized->program);
    if (first.empty()) first = text;
    EXPECT_TRUE(text == first) << threads << " threads";
  }
}

TEST(ManyNeurons, errors_name_the_first_neuron_and_count_the_others) {
  ManyNeurons many;
  const GroupIndex group = many.builder.group("sum");
  const std::uint32_t first = many.builder.neuron_count();
  for (std::uint32_t i = 0; i < kNeurons; ++i) {
    const bool is_bad = i == 20'000 || i > kNeurons - 3;
    const NeuronId input = is_bad ? many.twos[0] : many.threes[i % 300];
    many.builder.neuron(group, function(Combination::Sum), {input}, {many.to_two});
  }
  const auto vectorized = vectorize(many.builder.build());
  ASSERT_FALSE(vectorized);
  EXPECT_EQ(
      vectorized.error().text(),
      "group 2 \"sum\", neuron " + std::to_string(first + 20'000) +
          ": error: input 0: weight 2x3 times input 2x1 is undefined: the weight's columns "
          "must equal the input's rows; 2 more neurons of the group have the same error [E014]");
}

}  // namespace
}  // namespace vecc::test
