#include "vecc/metrics.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "src/support/list_threads.h"
#include "src/train/class_metrics.h"
#include "src/train/number_metrics.h"

namespace vecc {
namespace {

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
  metrics.sampled_mrr = reciprocal / count;
  metrics.sampled_hits1 = hits[0] / count;
  metrics.sampled_hits3 = hits[1] / count;
  metrics.sampled_hits10 = hits[2] / count;
}

// Whether the first members are positives, by falling score; negatives first among equals.
std::vector<bool> first_members(const RankedGroup& group, std::size_t count) {
  std::vector<std::pair<double, bool>> members;
  for (const double score : group.positives) members.emplace_back(-score, true);
  for (const double score : group.negatives) members.emplace_back(-score, false);
  const auto end = members.begin() + static_cast<std::ptrdiff_t>(std::min(count, members.size()));
  std::ranges::partial_sort(members, end);
  std::vector<bool> positive;
  for (auto member = members.begin(); member != end; ++member) positive.push_back(member->second);
  return positive;
}

void add_precisions(const std::map<std::uint32_t, RankedGroup>& groups, Metrics& metrics) {
  constexpr std::size_t kFirst = 10;
  double count = 0;
  double average = 0;
  double precision = 0;
  double recall = 0;
  for (const auto& [id, group] : groups) {
    if (group.positives.empty()) continue;
    const std::vector<bool> positive = first_members(group, kFirst);
    double found = 0;
    double sum = 0;
    for (std::size_t i = 0; i < positive.size(); ++i) {
      found += positive[i] ? 1 : 0;
      sum += positive[i] ? found / static_cast<double>(i + 1) : 0;
    }
    ++count;
    average += sum / static_cast<double>(std::min(kFirst, group.positives.size()));
    precision += found / static_cast<double>(kFirst);
    recall += found / static_cast<double>(group.positives.size());
  }
  if (count == 0) return;
  metrics.sampled_map10 = average / count;
  metrics.sampled_precision10 = precision / count;
  metrics.sampled_recall10 = recall / count;
}

std::span<const double> target_of(const NeuronGraph& graph, const Sample& sample) {
  return std::span(graph.target_values).subspan(sample.target_begin, sample.target_shape.size());
}

}  // namespace

TargetKind target_kind(const NeuronGraph& graph) {
  std::atomic<bool> some{false};
  std::atomic<bool> labels{false};
  const bool zeros_and_ones = holds_for_all(graph.samples.size(), [&](std::size_t i) {
    const Sample& sample = graph.samples[i];
    if (!sample.has_target) return true;
    if (!some.load(std::memory_order_relaxed)) some.store(true, std::memory_order_relaxed);
    const auto target = target_of(graph, sample);
    const bool is_class = target.size() == 1 || std::ranges::count(target, 1.0) == 1;
    if (!is_class && !labels.load(std::memory_order_relaxed)) {
      labels.store(true, std::memory_order_relaxed);
    }
    return std::ranges::all_of(target, [](double t) { return t == 0 || t == 1; });
  });
  if (!zeros_and_ones) return TargetKind::Numbers;
  if (!some) return TargetKind::None;
  return labels ? TargetKind::Labels : TargetKind::Classes;
}

std::vector<std::pair<std::string_view, std::optional<double>>> fields_of(const Metrics& m) {
  return {{"accuracy", m.accuracy},
          {"auroc", m.auroc},
          {"aupr", m.aupr},
          {"f1_macro", m.f1_macro},
          {"mae", m.mae},
          {"rmse", m.rmse},
          {"r2", m.r2},
          {"sampled_mrr", m.sampled_mrr},
          {"sampled_hits@1", m.sampled_hits1},
          {"sampled_hits@3", m.sampled_hits3},
          {"sampled_hits@10", m.sampled_hits10},
          {"sampled_map@10", m.sampled_map10},
          {"sampled_precision@10", m.sampled_precision10},
          {"sampled_recall@10", m.sampled_recall10},
          {"filtered_mrr", m.filtered_mrr},
          {"filtered_hits@1", m.filtered_hits1},
          {"filtered_hits@3", m.filtered_hits3},
          {"filtered_hits@10", m.filtered_hits10}};
}

std::vector<std::pair<std::string_view, double>> values_of(const Metrics& metrics) {
  std::vector<std::pair<std::string_view, double>> result;
  for (const auto& [name, value] : fields_of(metrics)) {
    if (value) result.emplace_back(name, *value);
  }
  return result;
}

std::uint64_t bytes_to_measure(const NeuronGraph& graph, std::uint64_t samples,
                               std::uint64_t elements) {
  const TargetKind kind = target_kind(graph);
  if (kind != TargetKind::Classes && kind != TargetKind::Labels) return 0;
  using training::ClassMetrics;
  return elements * ClassMetrics::kScoreBytes + samples * ClassMetrics::kSampleBytes;
}

Metrics measure(const NeuronGraph& graph, std::span<const std::uint32_t> samples,
                std::span<const Executable::Output> outputs, const MetricsOptions& options) {
  Metrics metrics;
  const TargetKind kind = target_kind(graph);
  training::ClassMetrics classes(options, samples.size());
  training::NumberMetrics numbers;
  std::map<std::uint32_t, RankedGroup> groups;
  std::vector<std::size_t> of_classes;
  if (kind == TargetKind::Classes) of_classes.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = graph.samples[samples[i]];
    const std::vector<double>& output = outputs[i].value;
    if (sample.role != Role::Unspecified && output.size() == 1) {
      RankedGroup& group = groups[sample.group];
      (sample.role == Role::Positive ? group.positives : group.negatives)
          .push_back(training::rank_key(output[0]));
    }
    const bool has_target = sample.has_target && sample.target_shape.size() == output.size();
    metrics.samples += has_target || sample.role != Role::Unspecified ? 1 : 0;
    if (!has_target) continue;
    if (kind == TargetKind::Classes) {
      of_classes.push_back(i);
      continue;
    }
    const auto target = target_of(graph, sample);
    if (kind == TargetKind::Labels) classes.add_labels(output, target);
    if (kind == TargetKind::Numbers) numbers.add(output, target);
  }
  classes.add_classes(of_classes.size(), [&](std::size_t n) {
    const std::size_t i = of_classes[n];
    const Sample& sample = graph.samples[samples[i]];
    return training::ClassMetrics::Sample{outputs[i].value, target_of(graph, sample)};
  });
  std::move(classes).finish(metrics);
  numbers.finish(metrics);
  add_ranks(groups, metrics);
  add_precisions(groups, metrics);
  return metrics;
}

}  // namespace vecc
