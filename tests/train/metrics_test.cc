// Metrics against counts by hand.
#include "vecc/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/support/list_threads.h"

namespace vecc::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// One scalar sample an output.
Metrics measure_classes(const std::vector<double>& outputs, const std::vector<double>& targets,
                        bool logits = false) {
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
  return measure(graph, samples, values, {logits});
}

TEST(Metrics, accuracy_is_the_share_of_the_right_side_of_the_threshold) {
  EXPECT_DOUBLE_EQ(*measure_classes({0.9, 0.2, 0.6, 0.5}, {1, 0, 0, 0}).accuracy, 0.75);
  EXPECT_DOUBLE_EQ(*measure_classes({0.9, -0.2, 0.1}, {1, 0, 1}, true).accuracy, 1);
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

// So many vectors that threads count them: each class against the rest is the same as a scalar
// output of it alone.
TEST(Metrics, of_many_vectors_are_means_over_classes_for_any_number_of_threads) {
  constexpr std::uint32_t kVectors = 70000;
  constexpr std::uint32_t kKinds = 3;
  NeuronGraph graph;
  std::vector<Executable::Output> values;
  std::vector<std::uint32_t> samples;
  std::vector<std::vector<double>> scores(kKinds);
  std::vector<std::vector<double>> targets(kKinds);
  for (std::uint32_t i = 0; i < kVectors; ++i) {
    Sample sample;
    sample.has_target = true;
    sample.target_shape = Shape::column(kKinds);
    sample.target_begin = i * kKinds;
    graph.samples.push_back(sample);
    std::vector<double> output;
    for (std::uint32_t k = 0; k < kKinds; ++k) {
      output.push_back(i % 1000 == 7 ? kNaN : (i * (k + 3) * 7919 % 1009) / 1009.0);
      graph.target_values.push_back(i % 5 % kKinds == k ? 1 : 0);
      scores[k].push_back(output.back());
      targets[k].push_back(graph.target_values.back());
    }
    values.push_back({Shape::column(kKinds), output});
    samples.push_back(i);
  }
  double auroc = 0;
  double aupr = 0;
  for (std::uint32_t k = 0; k < kKinds; ++k) {
    const Metrics alone = measure_classes(scores[k], targets[k]);
    auroc += *alone.auroc;
    aupr += *alone.aupr;
  }
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < kVectors; ++i) {
    const auto largest = std::ranges::max_element(values[i].value) - values[i].value.begin();
    right += i % 1000 != 7 && largest == i % 5 % kKinds ? 1 : 0;
  }
  for (const std::uint32_t threads : {1, 3}) {
    const ListThreads scope(threads);
    const Metrics metrics = measure(graph, samples, values, {});
    EXPECT_EQ(metrics.samples, kVectors);
    EXPECT_EQ(*metrics.accuracy, right / double{kVectors});
    EXPECT_EQ(*metrics.auroc, auroc / kKinds);
    EXPECT_EQ(*metrics.aupr, aupr / kKinds);
  }
}

// Of vectors of one size.
Metrics measure_vectors(const std::vector<std::vector<double>>& outputs,
                        const std::vector<std::vector<double>>& targets, bool logits = false) {
  NeuronGraph graph;
  std::vector<Executable::Output> values;
  std::vector<std::uint32_t> samples;
  for (std::uint32_t i = 0; i < outputs.size(); ++i) {
    Sample sample;
    sample.has_target = true;
    sample.target_shape = Shape::column(static_cast<std::uint32_t>(targets[i].size()));
    sample.target_begin = graph.target_values.size();
    graph.target_values.insert(graph.target_values.end(), targets[i].begin(), targets[i].end());
    graph.samples.push_back(sample);
    values.push_back({sample.target_shape, outputs[i]});
    samples.push_back(i);
  }
  return measure(graph, samples, values, {logits});
}

TEST(Metrics, vectors_are_classes_by_their_largest_entry) {
  const Metrics metrics =
      measure_vectors({{0.7, 0.2, 0.1}, {0.5, 0.3, 0.2}, {0.1, 0.3, 0.6}, {0.2, 0.6, 0.2}},
                      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}});
  EXPECT_DOUBLE_EQ(*metrics.accuracy, 0.75);
  // Classes 0 and 1: one of two predicted or two actual; class 2: all.
  EXPECT_DOUBLE_EQ(*metrics.f1_macro, (2.0 / 3 + 2.0 / 3 + 1) / 3);
  // Each class against the rest. Class 1: .6 > .2, .3; .3 > .2, = .3.
  EXPECT_DOUBLE_EQ(*metrics.auroc, (1 + 3.5 / 4 + 1) / 3);
  EXPECT_DOUBLE_EQ(*metrics.aupr, (1 + (1 + 2.0 / 3) / 2 + 1) / 3);
  EXPECT_FALSE(metrics.mae);
}

TEST(Metrics, a_class_that_nothing_has_does_not_count) {
  const Metrics metrics =
      measure_vectors({{0.7, 0.2, 0.1}, {0.1, 0.8, 0.1}}, {{1, 0, 0}, {0, 1, 0}});
  EXPECT_DOUBLE_EQ(*metrics.f1_macro, 1);
  EXPECT_DOUBLE_EQ(*metrics.auroc, 1);
}

// 10.1 is above 1, but the probabilities are 0.52 and 0.73.
TEST(Metrics, logits_are_ranked_by_their_softmax) {
  EXPECT_DOUBLE_EQ(*measure_vectors({{10, 10.1}, {0, 1}}, {{1, 0}, {0, 1}}, true).auroc, 1);
  EXPECT_DOUBLE_EQ(*measure_vectors({{10, 10.1}, {0, 1}}, {{1, 0}, {0, 1}}).auroc, 0.5);
}

TEST(Metrics, f1_of_two_classes_is_the_mean_of_both) {
  // Class 1: one of two predicted, of one actual: 2/3. Class 0: 2 of 2 of 3: 4/5.
  EXPECT_DOUBLE_EQ(*measure_classes({0.9, 0.2, 0.6, 0.5}, {1, 0, 0, 0}).f1_macro,
                   (2.0 / 3 + 4.0 / 5) / 2);
}

TEST(Metrics, labels_are_counted_one_by_one) {
  const Metrics metrics =
      measure_vectors({{0.9, 0.8, 0.1}, {0.2, 0.6, 0.7}}, {{1, 1, 0}, {0, 1, 0}});
  EXPECT_DOUBLE_EQ(*metrics.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(*metrics.f1_macro, 2.0 / 3);  // the third label is predicted in vain
  EXPECT_DOUBLE_EQ(*metrics.auroc, 1);           // of the first: the others are of one kind
}

TEST(Metrics, numbers_have_errors_and_no_accuracy) {
  const Metrics metrics = measure_classes({1.5, 2, 3}, {1, 2, 4});
  EXPECT_FALSE(metrics.accuracy);
  EXPECT_FALSE(metrics.auroc);
  EXPECT_FALSE(metrics.f1_macro);
  EXPECT_DOUBLE_EQ(*metrics.mae, 0.5);
  EXPECT_DOUBLE_EQ(*metrics.rmse, std::sqrt(1.25 / 3));
  EXPECT_NEAR(*metrics.r2, 1 - 1.25 / (21 - 49.0 / 3), 1e-12);
  EXPECT_FALSE(measure_classes({1, 2}, {3, 3}).r2);  // nothing to explain
  EXPECT_FALSE(measure_classes({kNaN, 2}, {3, 4}).mae);
}

TEST(Metrics, errors_of_vectors_are_means_over_elements) {
  const Metrics metrics = measure_vectors({{1, 0}, {3, 2}}, {{1, 4}, {2, 2}});
  EXPECT_DOUBLE_EQ(*metrics.mae, (0.5 + 2) / 2);
  EXPECT_DOUBLE_EQ(*metrics.rmse, (std::sqrt(0.5) + std::sqrt(8.0)) / 2);
  EXPECT_DOUBLE_EQ(*metrics.r2, ((1 - 1 / 0.5) + (1 - 16 / 2.0)) / 2);
}

// Samples in groups, each with a score.
class RankedSamples {
 public:
  void add(std::uint32_t group, Role role, double score) {
    Sample sample;
    sample.group = group;
    sample.role = role;
    graph_.samples.push_back(sample);
    outputs_.push_back({Shape::scalar(), {score}});
  }
  [[nodiscard]] Metrics measured() const {
    std::vector<std::uint32_t> samples(graph_.samples.size());
    std::iota(samples.begin(), samples.end(), 0u);
    return measure(graph_, samples, outputs_);
  }

 private:
  NeuronGraph graph_;
  std::vector<Executable::Output> outputs_;
};

TEST(Metrics, a_positive_ranks_among_the_negatives_of_its_group) {
  RankedSamples ranked;
  ranked.add(1, Role::Positive, 0.5);  // rank 2
  ranked.add(1, Role::Negative, 0.9);
  ranked.add(1, Role::Negative, 0.1);
  ranked.add(2, Role::Positive, 0.5);  // tied with one of two: rank 1.5
  ranked.add(2, Role::Negative, 0.5);
  ranked.add(2, Role::Negative, 0.1);
  const Metrics metrics = ranked.measured();
  EXPECT_DOUBLE_EQ(*metrics.sampled_mrr, (1 / 2.0 + 1 / 1.5) / 2);
  EXPECT_DOUBLE_EQ(*metrics.sampled_hits1, 0);
  EXPECT_DOUBLE_EQ(*metrics.sampled_hits3, 1);
  EXPECT_DOUBLE_EQ(*metrics.sampled_map10,
                   0.5);  // 1 / 2 in both: the negative is first among equals
  EXPECT_FALSE(metrics.accuracy);
}

// RelBench's: positives at 1, 3 and 12 of 13, and one group whose positives are more than ten.
TEST(Metrics, LinksArePrecisionsOfTheFirstTen) {
  RankedSamples ranked;
  for (int rank = 1; rank <= 13; ++rank) {
    const bool positive = rank == 1 || rank == 3 || rank == 12;
    ranked.add(1, positive ? Role::Positive : Role::Negative, -rank);
  }
  for (int rank = 1; rank <= 12; ++rank) {
    ranked.add(2, rank == 1 ? Role::Negative : Role::Positive, -rank);
  }
  ranked.add(3, Role::Negative, 0);  // without a positive: no group of a mean
  const Metrics metrics = ranked.measured();
  double second = 0;
  for (int rank = 2; rank <= 10; ++rank) second += (rank - 1.0) / rank;
  EXPECT_DOUBLE_EQ(*metrics.sampled_map10, ((1 + 2.0 / 3) / 3 + second / 10) / 2);
  EXPECT_DOUBLE_EQ(*metrics.sampled_precision10, (0.2 + 0.9) / 2);
  EXPECT_DOUBLE_EQ(*metrics.sampled_recall10, (2.0 / 3 + 9.0 / 11) / 2);
}

}  // namespace
}  // namespace vecc::test
