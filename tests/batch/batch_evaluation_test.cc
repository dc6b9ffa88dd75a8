// Evaluation some samples at a time: the metrics of one run of all, and its loss to rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/batch/tested_backend.h"
#include "vecc/graph_io.h"
#include "vecc/metrics.h"
#include "vecc/train.h"

namespace vecc::test {
namespace {

using Samples = std::vector<std::uint32_t>;

void expect_near(double found, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found));
  } else {
    EXPECT_NEAR(found, expected, 1e-12 * std::max(1.0, std::abs(expected)));
  }
}

void expect_equal(const Evaluator::Evaluation& found, const Evaluator::Evaluation& expected) {
  expect_near(found.loss, expected.loss);
  EXPECT_EQ(found.metrics.samples, expected.metrics.samples);
  const auto values = values_of(found.metrics);
  const auto expected_values = values_of(expected.metrics);
  ASSERT_EQ(values.size(), expected_values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].first, expected_values[i].first);
    expect_near(values[i].second, expected_values[i].second);
  }
}

void expect_evaluation(const NeuronGraph& graph, Loss loss, const Samples& samples,
                       std::initializer_list<std::uint32_t> sizes) {
  const Program program = program_of(graph);
  LossOptions options;
  options.loss = loss;
  const auto evaluator = [&](std::uint32_t size) {
    return value_of(
        make_evaluator(graph, program, tested_backend(), tested_options(), options, samples, size));
  };
  const auto whole = evaluator(0);
  const Evaluator::Evaluation expected = value_of(whole->evaluate());
  EXPECT_EQ(value_of(whole->batch_bytes()).values, 0u);
  for (const std::uint32_t size : sizes) {
    SCOPED_TRACE("batches of " + std::to_string(size));
    const auto batches = evaluator(size);
    EXPECT_GT(value_of(batches->batch_bytes()).values, 0u);
    for (int run = 0; run < 2; ++run) expect_equal(value_of(batches->evaluate()), expected);
  }
}

TEST(BatchEvaluation, is_that_of_all_samples) {
  for (const char* name : {"mutagenesis.pb", "attention.pb", "xor.pb"}) {
    if (is_emulated() && std::string_view(name) == "attention.pb") continue;
    SCOPED_TRACE(name);
    const NeuronGraph graph = value_of(read_graph(shipped(name)));
    for (const Loss loss : {Loss::SquaredDiff, Loss::CrossEntropy, Loss::SoftEntropy}) {
      const bool fits = loss == Loss::SquaredDiff || std::string_view(name) != "attention.pb";
      if (!fits || (is_emulated() && loss != Loss::SquaredDiff)) continue;
      SCOPED_TRACE(std::string(text_of(loss)));
      is_emulated() ? expect_evaluation(graph, loss, all_samples(graph), {50})
                    : expect_evaluation(graph, loss, all_samples(graph), {1, 7, 1000});
    }
  }
}

// As with folds, and as a split may list them.
TEST(BatchEvaluation, of_some_samples_in_any_order) {
  const NeuronGraph graph = value_of(read_graph(shipped("mutagenesis.pb")));
  Samples samples;
  for (std::uint32_t s = 0; s < graph.samples.size(); s += 3) samples.push_back(s);
  std::ranges::reverse(samples);
  expect_evaluation(graph, Loss::SquaredDiff, samples, {10});
}

// Each batch adds little to what is there: in single precision the sum would lose some of it.
TEST(BatchEvaluation, of_many_batches_has_the_loss_of_one_in_single_precision) {
  NeuronGraph graph = value_of(read_graph(shipped("mutagenesis.pb")));
  const std::size_t many = is_emulated() ? 200 : 20'000;
  graph.samples.assign(many, graph.samples.front());
  graph.sample_ids = {};
  const Program program = value_of(vectorize(graph, VectorizeOptions())).program;
  ASSERT_EQ(program.dtype(), DType::F32);
  const auto loss_of = [&](const Samples& samples) {
    const auto batches = value_of(
        make_evaluator(graph, program, tested_backend(), tested_options(), {}, samples, 1));
    return value_of(batches->evaluate()).loss;
  };
  const double expected = loss_of({0});
  EXPECT_NEAR(loss_of(all_samples(graph)), expected, 1e-6 * expected);
}

TEST(BatchEvaluation, without_targets_has_no_loss) {
  NeuronGraph graph = value_of(read_graph(shipped("xor.pb")));
  for (Sample& sample : graph.samples) sample.has_target = false;
  const Program program = program_of(graph);
  const auto batches = value_of(make_evaluator(graph, program, tested_backend(), tested_options(),
                                               {}, all_samples(graph), 2));
  EXPECT_TRUE(std::isnan(value_of(batches->evaluate()).loss));
}

// The steps' own sum of errors is another state of the storage that both share.
TEST(BatchEvaluation, sees_the_weights_of_a_training_and_leaves_its_loss) {
  const NeuronGraph graph = value_of(read_graph(shipped("mutagenesis.pb")));
  const Program program = program_of(graph);
  TrainOptions options;
  options.batch_size = 20;
  options.batch_way = BatchWay::Bind;
  std::vector<double> losses;
  for (const bool evaluates : {false, true}) {
    const auto trainer = value_of(make_trainer(graph, program, tested_backend(), tested_options(),
                                               options, all_samples(graph)));
    ExecutionOptions execution = tested_options();
    execution.storage = trainer->storage();
    const auto evaluator = [&](std::uint32_t size) {
      return value_of(make_evaluator(graph, program, tested_backend(), execution, options.loss,
                                     all_samples(graph), size));
    };
    const auto whole = evaluator(0);
    const auto batches = evaluator(32);
    for (int step = 0; step < 5; ++step) {
      ASSERT_TRUE(trainer->step());
      if (evaluates) expect_equal(value_of(batches->evaluate()), value_of(whole->evaluate()));
    }
    losses.push_back(value_of(trainer->epoch_loss()));
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(BatchEvaluation, what_cannot_be_is_refused) {
  const NeuronGraph graph = value_of(read_graph(shipped("xor.pb")));
  const Program program = program_of(graph);
  const auto refusal = [&](const char* backend, Loss loss) {
    LossOptions options;
    options.loss = loss;
    const auto made =
        make_evaluator(graph, program, *find_backend(backend), {}, options, all_samples(graph), 2);
    return made ? std::string() : made.error().list().front().message;
  };
  EXPECT_EQ(refusal("cpu", Loss::MarginRanking), "the loss is of pairs");
  EXPECT_EQ(refusal("interpreter", Loss::SquaredDiff),
            "interpreter runs all samples at once; cpu and cuda do not");
}

}  // namespace
}  // namespace vecc::test
