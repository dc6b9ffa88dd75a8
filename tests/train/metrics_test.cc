// Metrics against counts by hand.
#include "vecc/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace vecc::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// One scalar sample an output.
Metrics measure_classes(const std::vector<double>& outputs, const std::vector<double>& targets,
                        double threshold = 0.5) {
  NeuronGraph graph;
  std::vector<Executable::Output> values;
  std::vector<std::uint32_t> samples;
  for (std::uint32_t i = 0; i < outputs.size(); ++i) {
    Sample sample;
    sample.has_target = true;
    sample.target_shape = Shape::scalar();
    sample.target_begin = i;
    graph.samples.push_back(sample);
    values.push_back({Shape::scalar(), {outputs[i]}});
    samples.push_back(i);
  }
  graph.target_values = targets;
  return measure(graph, samples, values, {threshold});
}

TEST(Metrics, accuracy_is_the_share_of_the_right_side_of_the_threshold) {
  EXPECT_DOUBLE_EQ(*measure_classes({0.9, 0.2, 0.6, 0.5}, {1, 0, 0, 0}).accuracy, 0.75);
  EXPECT_DOUBLE_EQ(*measure_classes({0.9, -0.2, 0.1}, {1, 0, 1}, 0).accuracy, 1);
}

TEST(Metrics, a_NaN_is_never_right) {
  EXPECT_DOUBLE_EQ(*measure_classes({kNaN, kNaN}, {1, 0}).accuracy, 0);
}

TEST(Metrics, auroc_counts_pairs_in_order_and_ties_half) {
  // Pairs (1, 0): .9 > .8, .9 > .3, .3 < .8, .3 = .3: 2.5 of 4.
  EXPECT_DOUBLE_EQ(*measure_classes({0.9, 0.8, 0.3, 0.3}, {1, 0, 1, 0}).auroc, 2.5 / 4);
}

TEST(Metrics, aupr_is_the_mean_precision_at_the_positives) {
  // Positives at ranks 1 and 3: (1/1 + 2/3) / 2.
  EXPECT_DOUBLE_EQ(*measure_classes({0.9, 0.8, 0.3, 0.2}, {1, 0, 1, 0}).aupr, (1 + 2.0 / 3) / 2);
}

TEST(Metrics, of_one_class_have_no_areas) {
  const Metrics metrics = measure_classes({0.9, 0.8}, {1, 1});
  EXPECT_FALSE(metrics.auroc);
  EXPECT_FALSE(metrics.aupr);
  EXPECT_TRUE(metrics.accuracy);
}

TEST(Metrics, vectors_are_classes_by_their_largest_entry) {
  NeuronGraph graph;
  graph.target_values = {0, 1, 0, 1, 0, 0};
  for (const std::uint64_t begin : {0ull, 3ull}) {
    Sample sample;
    sample.has_target = true;
    sample.target_shape = Shape::column(3);
    sample.target_begin = begin;
    graph.samples.push_back(sample);
  }
  const std::vector<Executable::Output> outputs{{Shape::column(3), {0.1, 0.7, 0.2}},
                                                {Shape::column(3), {0.1, 0.7, 0.2}}};
  const std::vector<std::uint32_t> samples{0, 1};
  const Metrics metrics = measure(graph, samples, outputs);
  EXPECT_DOUBLE_EQ(*metrics.accuracy, 0.5);
  EXPECT_FALSE(metrics.auroc);
}

TEST(Metrics, a_positive_ranks_among_the_negatives_of_its_group) {
  NeuronGraph graph;
  std::vector<Executable::Output> outputs;
  const auto add = [&](std::uint32_t group, Role role, double score) {
    Sample sample;
    sample.group = group;
    sample.role = role;
    graph.samples.push_back(sample);
    outputs.push_back({Shape::scalar(), {score}});
  };
  add(1, Role::Positive, 0.5);  // rank 2
  add(1, Role::Negative, 0.9);
  add(1, Role::Negative, 0.1);
  add(2, Role::Positive, 0.5);  // tied with one of two: rank 1.5
  add(2, Role::Negative, 0.5);
  add(2, Role::Negative, 0.1);
  std::vector<std::uint32_t> samples(graph.samples.size());
  std::iota(samples.begin(), samples.end(), 0u);
  const Metrics metrics = measure(graph, samples, outputs);
  EXPECT_DOUBLE_EQ(*metrics.mrr, (1 / 2.0 + 1 / 1.5) / 2);
  EXPECT_DOUBLE_EQ(*metrics.hits1, 0);
  EXPECT_DOUBLE_EQ(*metrics.hits3, 1);
  EXPECT_FALSE(metrics.accuracy);
}

}  // namespace
}  // namespace vecc::test
