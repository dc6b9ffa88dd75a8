#include "src/train/class_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "src/support/list_threads.h"
#include "src/support/long_list.h"
#include "src/train/falling_numbers.h"

namespace vecc::training {
namespace {

bool has_nan(std::span<const double> values) {
  return std::ranges::any_of(values, [](double v) { return std::isnan(v); });
}

std::size_t largest_entry(std::span<const double> values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

void write_softmax(std::span<const double> logits, std::span<double> result) {
  const double largest = std::ranges::max(logits);
  double sum = 0;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    result[k] = std::exp(logits[k] - largest);
    sum += result[k];
  }
  for (double& value : result) value /= sum;
}

struct Areas {
  double roc = 0;
  double precision = 0;
};

// By score of positives, from the largest on, and behind them: how many scores are equal to it, and
// how many of negatives lie above it and below the one before. Counts of one kind lie together, as
// each negative's place is another one.
struct Levels {
  std::vector<std::uint32_t> ties;        // of positives
  std::vector<std::uint32_t> false_ties;  // of negatives
  std::vector<std::uint32_t> before;
};

// Negatives are not sorted: of many classes nearly all scores are theirs. What is made takes 24
// bytes a positive (kSampleBytes).
Levels levels_of(std::span<const double> scores, std::span<const std::uint8_t> positive,
                 std::size_t positives) {
  std::vector<double> of_positives;
  of_positives.reserve(positives + 1);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (positive[i] != 0) of_positives.push_back(scores[i]);
  }
  std::ranges::sort(of_positives, std::ranges::greater{});
  Levels levels;
  levels.ties.reserve(positives);
  std::size_t distinct = 0;
  for (const double score : of_positives) {
    if (distinct == 0 || of_positives[distinct - 1] != score) {
      of_positives[distinct++] = score;
      levels.ties.push_back(0);
    }
    ++levels.ties.back();
  }
  of_positives.resize(distinct);
  const FallingNumbers falling(of_positives);
  of_positives.push_back(std::numeric_limits<double>::quiet_NaN());  // equal to none
  levels.false_ties.resize(distinct + 1);
  levels.before.resize(distinct + 1);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (positive[i] != 0) continue;
    const std::size_t level = falling.count_above(scores[i]);
    const bool is_equal = of_positives[level] == scores[i];
    ++(is_equal ? levels.false_ties : levels.before)[level];
  }
  return levels;
}

// Both areas, from the largest score on: at each one of a positive, how many positives and
// negatives stand at or above it. None of a single class.
std::optional<Areas> areas_of(std::span<const double> scores,
                              std::span<const std::uint8_t> positive) {
  const auto count = static_cast<std::size_t>(std::ranges::count(positive, 1));
  const auto positives = static_cast<double>(count);
  const double negatives = static_cast<double>(scores.size()) - positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  const Levels all = levels_of(scores, positive, count);
  double above = 0;        // positives so far
  double above_false = 0;  // negatives so far
  Areas areas;
  for (std::size_t level = 0; level < all.ties.size(); ++level) {
    const double ties = all.ties[level];
    const double false_ties = all.false_ties[level];
    const double before = all.before[level];
    areas.roc += before * above + false_ties * (above + ties / 2);
    above += ties;
    above_false += before + false_ties;
    areas.precision += ties * above / (above + above_false);
  }
  areas.roc += all.before.back() * above;
  return Areas{areas.roc / (positives * negatives), areas.precision / positives};
}

}  // namespace

ClassMetrics::ClassCounts& ClassMetrics::at(std::size_t of) {
  if (of >= classes_.size()) classes_.resize(of + 1);
  return classes_[of];
}

void ClassMetrics::count(std::size_t of, bool predicted, bool actual) {
  ClassCounts& counts = at(of);
  counts.hits += predicted && actual ? 1 : 0;
  counts.predicted += predicted ? 1 : 0;
  counts.actual += actual ? 1 : 0;
}

// A list that grows would hold twice what it has, and leave as much behind.
void ClassMetrics::add_score(std::size_t of, double score, bool positive) {
  ClassCounts& counts = classes_[of];
  if (counts.scores.empty()) {
    counts.scores.reserve(samples_);
    counts.positive.reserve(samples_);
  }
  counts.scores.push_back(rank_key(score));
  counts.positive.push_back(positive ? 1 : 0);
}

void ClassMetrics::add_class(std::span<const double> output, std::span<const double> target) {
  ++all_;
  const bool known = !has_nan(output);
  if (output.size() == 1) {
    const bool positive = target[0] > 0.5;
    const bool predicted = output[0] > threshold();
    right_ += known && predicted == positive ? 1 : 0;
    count(0, known && !predicted, !positive);
    count(1, known && predicted, positive);
    add_score(1, output[0], positive);
    return;
  }
  const std::size_t actual = largest_entry(target);
  const std::size_t predicted = known ? largest_entry(output) : output.size();
  right_ += predicted == actual ? 1 : 0;
  const std::vector<double> scores =
      options_.logits ? softmax_of(output) : std::vector<double>(output.begin(), output.end());
  for (std::size_t k = 0; k < output.size(); ++k) {
    count(k, k == predicted, k == actual);
    add_score(k, scores[k], k == actual);
  }
}

void ClassMetrics::add_vector(std::size_t i, const Sample& sample, std::vector<Tally>& tallies,
                              std::vector<double>& scores) {
  const std::size_t actual = largest_entry(sample.target);
  ++tallies[actual].actual;
  if (!has_nan(sample.output)) {
    const std::size_t predicted = largest_entry(sample.output);
    ++tallies[predicted].predicted;
    if (predicted == actual) ++tallies[actual].hits;
  }
  if (options_.logits) {
    write_softmax(sample.output, scores);
  } else {
    std::ranges::copy(sample.output, scores.begin());
  }
  for (std::size_t k = 0; k < scores.size(); ++k) {
    classes_[k].scores[i] = rank_key(scores[k]);
    classes_[k].positive[i] = k == actual ? 1 : 0;
  }
}

void ClassMetrics::add_classes(std::size_t count,
                               const std::function<Sample(std::size_t)>& sample_at) {
  const std::size_t size = count == 0 ? 0 : sample_at(0).output.size();
  const bool alike = all_ == 0 && size > 1 && holds_for_all(count, [&](std::size_t i) {
                       return sample_at(i).output.size() == size;
                     });
  if (!alike) {
    for (std::size_t i = 0; i < count; ++i) add_class(sample_at(i).output, sample_at(i).target);
    return;
  }
  add_vectors(count, size, [&](std::size_t i, std::span<double>) { return sample_at(i); });
}

void ClassMetrics::add_vectors(
    std::size_t count, std::size_t size,
    const std::function<Sample(std::size_t, std::span<double>)>& sample_at) {
  all_ = count;
  classes_.resize(size);
  for (ClassCounts& counts : classes_) {
    counts.scores = long_list<double>(count);
    counts.positive = long_list<std::uint8_t>(count);
  }
  std::vector<std::vector<Tally>> tallies(ListThreads::ranges_of(count));
  ListThreads::for_numbered_ranges(count,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     std::vector<Tally> own(size);
                                     std::vector<double> scores(size);
                                     std::vector<double> room(size);
                                     for (std::size_t i = begin; i < end; ++i)
                                       add_vector(i, sample_at(i, room), own, scores);
                                     tallies[range] = std::move(own);
                                   });
  for (const std::vector<Tally>& of_range : tallies) {
    for (std::size_t k = 0; k < size; ++k) {
      classes_[k].hits += of_range[k].hits;
      classes_[k].predicted += of_range[k].predicted;
      classes_[k].actual += of_range[k].actual;
      right_ += of_range[k].hits;
    }
  }
}

void ClassMetrics::add_labels(std::span<const double> output, std::span<const double> target) {
  ++all_;
  bool right = !has_nan(output);
  for (std::size_t k = 0; k < output.size(); ++k) {
    const bool predicted = output[k] > threshold();
    const bool actual = target[k] > 0.5;
    right = right && predicted == actual;
    count(k, predicted, actual);
    add_score(k, output[k], actual);
  }
  right_ += right ? 1 : 0;
}

void ClassMetrics::add_areas(const std::vector<ClassCounts>& classes, Metrics& metrics) {
  constexpr std::size_t kShared = std::size_t{1} << 16;  // scores that are worth threads
  std::vector<std::optional<Areas>> of_class(classes.size());
  std::size_t scores = 0;
  for (const ClassCounts& of : classes) scores += of.scores.size();
  const auto find_areas = [&](std::size_t k) {
    of_class[k] = areas_of(classes[k].scores, classes[k].positive);
  };
  if (scores >= kShared) {
    ListThreads::for_pieces(classes.size(), find_areas);
  } else {
    for (std::size_t k = 0; k < classes.size(); ++k) find_areas(k);
  }
  Areas sum;
  double count = 0;
  for (const auto& areas : of_class) {
    if (!areas) continue;
    sum.roc += areas->roc;
    sum.precision += areas->precision;
    ++count;
  }
  if (count == 0) return;
  metrics.auroc = sum.roc / count;
  metrics.aupr = sum.precision / count;
}

void ClassMetrics::finish(Metrics& metrics) && {
  if (all_ == 0) return;
  metrics.accuracy = static_cast<double>(right_) / static_cast<double>(all_);
  double sum = 0;
  double count = 0;
  for (const ClassCounts& counts : classes_) {
    const auto all = static_cast<double>(counts.predicted + counts.actual);
    if (all == 0) continue;
    sum += 2 * static_cast<double>(counts.hits) / all;
    ++count;
  }
  if (count > 0) metrics.f1_macro = sum / count;
  add_areas(classes_, metrics);
}

}  // namespace vecc::training

namespace vecc {

std::vector<double> softmax_of(std::span<const double> logits) {
  std::vector<double> result(logits.size());
  training::write_softmax(logits, result);
  return result;
}

}  // namespace vecc
