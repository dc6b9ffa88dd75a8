#include "vecc/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace vecc {
namespace {

// A scalar prediction of one of two classes.
struct Scored {
  double score;
  bool positive;
};

double rank_key(double score) {
  return std::isnan(score) ? -std::numeric_limits<double>::infinity() : score;
}

std::size_t largest_entry(std::span<const double> values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

// Samples with targets: right ones are counted, scalar ones kept for the curves.
struct Classified {
  std::uint64_t right = 0;
  std::uint64_t all = 0;
  std::vector<Scored> scored;

  void add(std::span<const double> output, std::span<const double> target, double threshold) {
    ++all;
    if (output.size() == 1) {
      const bool positive = target[0] > 0.5;
      right += !std::isnan(output[0]) && (output[0] > threshold) == positive ? 1 : 0;
      scored.push_back({rank_key(output[0]), positive});
      return;
    }
    if (std::ranges::any_of(output, [](double v) { return std::isnan(v); })) return;
    right += largest_entry(output) == largest_entry(target) ? 1 : 0;
  }
};

// Both areas in one pass over the scores from the largest: at each distinct score, how many
// positives and negatives stand at or above it.
void add_areas(std::vector<Scored> scored, Metrics& metrics) {
  const auto positives = static_cast<double>(std::ranges::count(scored, true, &Scored::positive));
  const double negatives = static_cast<double>(scored.size()) - positives;
  if (positives == 0 || negatives == 0) return;
  std::ranges::sort(scored, std::ranges::greater{}, &Scored::score);
  double above = 0;        // positives so far
  double above_false = 0;  // negatives so far
  double area = 0;
  double precision_sum = 0;
  for (std::size_t i = 0; i < scored.size();) {
    double ties = 0;
    double false_ties = 0;
    const double score = scored[i].score;
    for (; i < scored.size() && scored[i].score == score; ++i) {
      (scored[i].positive ? ties : false_ties) += 1;
    }
    area += false_ties * (above + ties / 2);
    above += ties;
    above_false += false_ties;
    precision_sum += ties * above / (above + above_false);
  }
  metrics.auroc = area / (positives * negatives);
  metrics.aupr = precision_sum / positives;
}

// Scores of one group's positives and negatives.
struct RankedGroup {
  std::vector<double> positives;
  std::vector<double> negatives;
};

void add_ranks(const std::map<std::uint32_t, RankedGroup>& groups, Metrics& metrics) {
  double count = 0;
  double reciprocal = 0;
  double hits[3] = {0, 0, 0};
  constexpr double kWithin[3] = {1, 3, 10};
  for (const auto& [id, group] : groups) {
    std::vector<double> negatives = group.negatives;
    std::ranges::sort(negatives);
    for (const double score : group.positives) {
      const auto above = negatives.end() - std::ranges::upper_bound(negatives, score);
      const auto not_below = negatives.end() - std::ranges::lower_bound(negatives, score);
      const double rank = 1 + static_cast<double>(above + not_below) / 2;
      ++count;
      reciprocal += 1 / rank;
      for (std::size_t k = 0; k < 3; ++k) hits[k] += rank <= kWithin[k] ? 1 : 0;
    }
  }
  if (count == 0) return;
  metrics.mrr = reciprocal / count;
  metrics.hits1 = hits[0] / count;
  metrics.hits3 = hits[1] / count;
  metrics.hits10 = hits[2] / count;
}

}  // namespace

std::vector<std::pair<std::string_view, std::optional<double>>> fields_of(const Metrics& m) {
  return {{"accuracy", m.accuracy}, {"auroc", m.auroc},  {"aupr", m.aupr},     {"mrr", m.mrr},
          {"hits@1", m.hits1},      {"hits@3", m.hits3}, {"hits@10", m.hits10}};
}

std::vector<std::pair<std::string_view, double>> values_of(const Metrics& metrics) {
  std::vector<std::pair<std::string_view, double>> result;
  for (const auto& [name, value] : fields_of(metrics)) {
    if (value) result.emplace_back(name, *value);
  }
  return result;
}

Metrics measure(const NeuronGraph& graph, std::span<const std::uint32_t> samples,
                std::span<const Executable::Output> outputs, const MetricsOptions& options) {
  Metrics metrics;
  Classified classified;
  std::map<std::uint32_t, RankedGroup> groups;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = graph.samples[samples[i]];
    const std::vector<double>& output = outputs[i].value;
    if (sample.role != Role::Unspecified && output.size() == 1) {
      RankedGroup& group = groups[sample.group];
      (sample.role == Role::Positive ? group.positives : group.negatives)
          .push_back(rank_key(output[0]));
    }
    const std::size_t size = sample.target_shape.size();
    const bool has_target = sample.has_target && size == output.size();
    if (has_target) {
      classified.add(output, std::span(graph.target_values).subspan(sample.target_begin, size),
                     options.threshold);
    }
    metrics.samples += has_target || sample.role != Role::Unspecified ? 1 : 0;
  }
  if (classified.all > 0) {
    metrics.accuracy = static_cast<double>(classified.right) / static_cast<double>(classified.all);
    add_areas(std::move(classified.scored), metrics);
  }
  add_ranks(groups, metrics);
  return metrics;
}

}  // namespace vecc
