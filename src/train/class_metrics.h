// Metrics of classes and labels, one class against the rest.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "vecc/metrics.h"

namespace vecc::training {

/// What a score is ranked by: a NaN is the lowest.
[[nodiscard]] inline double rank_key(double score) {
  return std::isnan(score) ? -std::numeric_limits<double>::infinity() : score;
}

class ClassMetrics {
 public:
  /// Of up to so many samples.
  ClassMetrics(MetricsOptions options, std::size_t samples)
      : options_(options), samples_(samples) {}

  /// A sample of one class; a scalar is the probability (the logit) of class 1.
  void add_class(std::span<const double> output, std::span<const double> target);
  struct Sample {
    std::span<const double> output;
    std::span<const double> target;
  };
  /// Samples 0 .. count-1 of one class each, in order; by all threads (ListThreads) where they are
  /// the only ones, and vectors of one size.
  void add_classes(std::size_t count, const std::function<Sample(std::size_t)>& sample_at);
  /// The same of vectors of `size` > 1 elements, where they are the only ones: `sample_at(i, room)`
  /// may have its output in `room`, which has as many.
  void add_vectors(std::size_t count, std::size_t size,
                   const std::function<Sample(std::size_t, std::span<double>)>& sample_at);
  /// A sample with any number of labels.
  void add_labels(std::span<const double> output, std::span<const double> target);

  /// Fills in what there is.
  void finish(Metrics& metrics) &&;

  /// Bytes of one sample's score in a class.
  static constexpr std::uint64_t kScoreBytes = sizeof(double) + sizeof(std::uint8_t);
  /// Bytes of a sample in the list of those that are measured, and of a positive among the sorted
  /// ones of its class.
  static constexpr std::uint64_t kSampleBytes = 48;

 private:
  struct Tally {
    std::uint64_t hits = 0;       // predicted and true
    std::uint64_t predicted = 0;  // in all
    std::uint64_t actual = 0;     // in all
  };
  struct ClassCounts : Tally {
    std::vector<double> scores;          // of binary classes: of class 1 alone
    std::vector<std::uint8_t> positive;  // by score: whether it is 1; not packed: threads write it
  };
  static void add_areas(const std::vector<ClassCounts>& classes, Metrics& metrics);
  /// Vectors of one size: number `i` of them, of which threads count each its own.
  void add_vector(std::size_t i, const Sample& sample, std::vector<Tally>& tallies,
                  std::vector<double>& scores);

  [[nodiscard]] double threshold() const { return options_.logits ? 0 : 0.5; }
  ClassCounts& at(std::size_t of);
  void count(std::size_t of, bool predicted, bool actual);
  void add_score(std::size_t of, double score, bool positive);

  MetricsOptions options_;
  std::size_t samples_;
  std::uint64_t right_ = 0;
  std::uint64_t all_ = 0;
  std::vector<ClassCounts> classes_;
};

}  // namespace vecc::training
