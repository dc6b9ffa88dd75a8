// Margin ranking against its formula, pair by pair, and the pairs of a graph's samples.
#include <algorithm>
#include <cmath>

#include "tests/train/train_check.h"
#include "vecc/loss.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<double>;

constexpr double kMargin = 0.5;

// Two outputs: samples 3, 0, 2 are scalars, samples 1, 4 are 1x1.
struct RankingProgram {
  Program program{DType::F64};
  LossOps ops;
  std::vector<RankedPair> pairs{{0, 1}, {0, 2}, {3, 1}, {3, 4}, {0, 4}};
  Numbers weights{1, 2, 0.5, 4, 0};

  RankingProgram() {
    const ValueId scalars = add_weight(program, "a", 3, Shape(), {0.2, 0.9, 0.1});
    const ValueId others = add_weight(program, "b", 2, Shape(1, 1), {0.7, -3});
    program.set_sample_count(5);
    program.output(scalars, Index::list({3, 0, 2}));
    program.output(others, Index::list({1, 4}));
    ops = value_of(append_loss(program, {{}, weights, pairs},
                               {.loss = Loss::MarginRanking, .margin = kMargin}));
    EXPECT_TRUE(verify(program));
  }
};

TEST(MarginRanking, IsTheFormulaOfItsPairs) {
  const RankingProgram ranking;
  const Numbers score = {0.9, 0.7, 0.1, 0.2, -3};  // by sample
  Numbers errors;
  Numbers gradient(5);
  double total = 0;
  for (std::size_t p = 0; p < ranking.pairs.size(); ++p) {
    const auto [positive, negative] = ranking.pairs[p];
    errors.push_back(std::max(0.0, kMargin - (score[positive] - score[negative])));
    total += ranking.weights[p] * errors.back();
    if (errors.back() == 0) continue;
    gradient[positive] -= ranking.weights[p];
    gradient[negative] += ranking.weights[p];
  }
  ASSERT_EQ(std::ranges::count(errors, 0.0), 3);
  ExecutionOptions options;
  const LossOps& ops = ranking.ops;
  options.kept = {ops.errors[0], ops.total, ops.seeds[0].gradient, ops.seeds[1].gradient};
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, ranking.program, options);
    expect_ok(executable->run());
    expect_near(value_of(executable->read(ops.errors[0])), errors);
    expect_near(value_of(executable->read(ops.total)), {total});
    expect_near(value_of(executable->read(ops.seeds[0].gradient)),
                {gradient[3], gradient[0], gradient[2]});
    expect_near(value_of(executable->read(ops.seeds[1].gradient)), {gradient[1], gradient[4]});
    // Other weights: only the last pair, whose margin is kept.
    expect_ok(set_parameters(
        *executable, loss_values(ranking.program, ops, {{}, {0, 0, 0, 0, 9}, ranking.pairs})));
    expect_ok(executable->run());
    expect_near(value_of(executable->read(ops.total)), {0});
  });
}

TEST(MarginRanking, bad_outputs_and_pairs) {
  Program program;
  const ValueId weight = add_weight(program, "o", 2, Shape::column(2), {0, 0, 0, 0});
  program.set_sample_count(2);
  program.output(weight, Index::slice(0, 2));
  const LossOptions options{.loss = Loss::MarginRanking};
  EXPECT_EQ(append_loss(program, {{}, {1}, {{0, 1}}}, options).error().text(),
            "margin_ranking: error: an output of shape 2x1, expected scalars [E050]");
}

// Samples of a graph; only what a loss reads of them.
NeuronGraph graph_of(std::vector<Sample> samples) {
  NeuronGraph graph;
  graph.samples = std::move(samples);
  graph.target_values = {1, 2, 3, 4};
  return graph;
}

Program scalars(std::uint32_t samples) {
  Program program;
  const ValueId values = program.fact(Numbers(samples), samples, Shape());
  program.set_sample_count(samples);
  program.output(values, Index::slice(0, samples));
  return program;
}

TEST(LossSamples, PairsStayWithinTheirGroup) {
  const auto sample = [](std::uint32_t group, Role role, float weight) {
    Sample s;
    s.group = group;
    s.role = role;
    s.weight = weight;
    return s;
  };
  using enum Role;
  const NeuronGraph graph =
      graph_of({sample(7, Negative, 1), sample(5, Positive, 2), sample(5, Negative, 3),
                sample(7, Positive, 1), sample(kNoGroup, Positive, 1), sample(5, Negative, 0),
                sample(5, Unspecified, 1), sample(7, Positive, 1), sample(9, Negative, 1)});
  const LossOptions options{.loss = Loss::MarginRanking, .reduction = Reduction::Mean};
  const LossSamples samples = value_of(loss_samples(graph, scalars(9), {}, options));
  const std::vector<RankedPair> expected{{1, 2}, {1, 5}, {3, 0}, {7, 0}};
  EXPECT_EQ(samples.pairs, expected);
  EXPECT_EQ(samples.weights, Numbers({2, 0, 1.0 / 3, 1.0 / 3}));  // 6, 0, 1, 1 by three pairs
  EXPECT_TRUE(samples.targets.empty());
}

TEST(LossSamples, OnlyChosenSamplesWithTargetsCount) {
  const auto sample = [](Split split, std::uint64_t target) {
    Sample s;
    s.split = split;
    s.has_target = target < 4;
    s.target_begin = target;
    return s;
  };
  const NeuronGraph graph =
      graph_of({sample(Split::Train, 1), sample(Split::Test, 2), sample(Split::Unspecified, 3),
                sample(Split::Train, 9), sample(Split::Train, 0)});
  const auto of = [&](const SampleChoice& choice, Reduction reduction, std::uint32_t count) {
    return value_of(loss_samples(graph, scalars(count), choice, {.reduction = reduction}));
  };
  const LossSamples all = of({}, Reduction::Sum, 5);
  EXPECT_EQ(all.targets, Numbers({2, 3, 4, 0, 1}));
  EXPECT_EQ(all.weights, Numbers({1, 1, 1, 0, 1}));
  EXPECT_EQ(of({{}, Split::Train}, Reduction::Mean, 5).weights,
            Numbers({1.0 / 3, 0, 1.0 / 3, 0, 1.0 / 3}));
  // A minibatch: the program's samples are samples 4 and 1 of the graph.
  const std::uint32_t batch[] = {4, 1};
  EXPECT_EQ(of({batch, {}}, Reduction::Sum, 2).targets, Numbers({1, 3}));
}

TEST(LossSamples, ElementsOfVectors) {
  Sample pair, one;
  pair.has_target = one.has_target = true;
  pair.target_shape = Shape::column(2);
  pair.weight = 3;
  one.target_begin = 2;
  const NeuronGraph graph = graph_of({pair, one});
  const Program program = value_of(parse_program(
      "vecc program 1 f32 samples 2\n%0 = fact {1, 2} : f32[1, 2x1]\n%1 = fact {3} : f32[1, 1]\n"
      "%2 = output %0 [0] : f32[1, 2x1]\n%3 = output %1 [1] : f32[1, 1]\n",
      "test"));
  const auto weights = [&](Loss loss, Reduction reduction) {
    return value_of(loss_samples(graph, program, {}, {.loss = loss, .reduction = reduction}))
        .weights;
  };
  // The error of two elements is their mean: twice that is their sum.
  EXPECT_EQ(weights(Loss::SquaredDiff, Reduction::ElementSum), Numbers({6, 1}));
  EXPECT_EQ(weights(Loss::SquaredDiff, Reduction::ElementMean), Numbers({6.0 / 3, 1.0 / 3}));
  EXPECT_EQ(weights(Loss::AbsoluteDiff, Reduction::ElementSum), Numbers({6, 1}));
  EXPECT_EQ(weights(Loss::SoftEntropy, Reduction::ElementSum), Numbers({3, 1}));
  EXPECT_EQ(weights(Loss::SoftEntropy, Reduction::ElementMean), Numbers({3.0 / 3, 1.0 / 3}));
}

TEST(LossSamples, bad_targets) {
  Sample wide;
  wide.has_target = true;
  wide.target_shape = Shape::column(3);
  NeuronGraph graph = graph_of({wide, Sample()});
  graph.sample_ids.push_back("first");
  graph.sample_ids.push_back("second");
  EXPECT_EQ(loss_samples(graph, scalars(2), {}, {}).error().text(),
            "sample 0 \"first\": error: a target of 3x1, but the output has 1 element [E022]");
  EXPECT_EQ(loss_samples(graph, scalars(3), {}, {}).error().text(),
            "loss: error: 2 samples, but the program has 3 [E050]");
  const std::uint32_t beyond[] = {2};
  EXPECT_EQ(loss_samples(graph, scalars(1), {beyond, {}}, {}).error().text(),
            "loss: error: sample 2, but the graph has 2 [E050]");
}

}  // namespace
}  // namespace vecc::test
