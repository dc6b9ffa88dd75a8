// Metrics of classes and labels, one class against the rest.
#pragma once

#include <cmath>
#include <cstdint>
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
  /// A sample with any number of labels.
  void add_labels(std::span<const double> output, std::span<const double> target);

  /// Fills in what there is.
  void finish(Metrics& metrics) &&;

  /// Bytes of one sample's score in a class.
  static constexpr std::uint64_t kScoreBytes = 16;

 private:
  struct Scored {
    double score;
    bool positive;
  };
  static_assert(sizeof(Scored) == kScoreBytes);
  struct ClassCounts {
    std::uint64_t hits = 0;       // predicted and true
    std::uint64_t predicted = 0;  // in all
    std::uint64_t actual = 0;     // in all
    std::vector<Scored> scored;   // of binary classes: of class 1 alone
  };
  static void add_areas(const std::vector<ClassCounts>& classes, Metrics& metrics);

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
