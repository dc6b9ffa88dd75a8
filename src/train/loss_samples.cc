// Targets, weights and pairs of a graph's samples.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "src/program/index_algebra.h"
#include "src/program/output_begin.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"
#include "vecc/escape.h"
#include "vecc/loss.h"

namespace vecc {
namespace {

// Errors of single samples, up to a limit.
class SampleFindings {
 public:
  explicit SampleFindings(const NeuronGraph& graph) : graph_(graph) {}

  void add(std::uint32_t sample, std::string message) {
    if (errors_.list().size() == 20) return errors_.omit(1);
    std::string place = "sample " + std::to_string(sample);
    if (graph_.sample_ids.size() > 0) {
      place += " \"" + escape_terminal(graph_.sample_ids[sample]) + "\"";
    }
    errors_.add(ErrorCode::BadSample, std::move(place), std::move(message));
  }
  [[nodiscard]] Result<void> result() const {
    if (errors_.empty()) return {};
    return errors_;
  }

 private:
  const NeuronGraph& graph_;
  Errors errors_;
};

bool is_chosen(const Sample& sample, std::optional<Split> split) {
  if (!split || sample.split == *split) return true;
  return *split == Split::Train && sample.split == Split::Unspecified;
}

bool is_of_elements(Reduction reduction) {
  return reduction == Reduction::ElementSum || reduction == Reduction::ElementMean;
}

void divide(LossSamples& samples, double divisor) {
  if (divisor == 0) return;  // all weights are 0
  samples.divisor = divisor;
  ListThreads::for_ranges(samples.weights.size(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) samples.weights[begin] /= divisor;
  });
}

// The graph's sample of each of the Program's, as loss_samples() states it.
class SampleReader {
 public:
  SampleReader(const NeuronGraph& graph, const Program& program, const SampleChoice& choice)
      : graph_(graph), begin_(output_begin(program)), choice_(choice), findings_(graph) {}

  Result<LossSamples> read_targets(const LossOptions& options) {
    LossSamples result;
    const bool is_mean = options.loss == Loss::SquaredDiff || options.loss == Loss::AbsoluteDiff;
    const bool sums = is_of_elements(options.reduction) && is_mean;
    result.targets = long_list<double>(begin_.back());
    result.weights = long_list<double>(begin_.size() - 1);
    const auto size_of = [&](std::uint32_t s) { return begin_[s + 1] - begin_[s]; };
    const bool all_fit = holds_for_all(result.weights.size(), [&](std::size_t i) {
      const auto s = static_cast<std::uint32_t>(i);
      const Sample& sample = at(s);
      if (!sample.has_target || !is_chosen(sample, choice_.split)) return true;
      result.weights[s] = sample.weight * (sums ? static_cast<double>(size_of(s)) : 1);
      return copy_target(s, std::span(result.targets).subspan(begin_[s], size_of(s)));
    });
    const auto samples = static_cast<std::uint32_t>(result.weights.size());
    const auto counts = [&](std::uint32_t s) {
      return at(s).has_target && is_chosen(at(s), choice_.split);
    };
    elements_ = total_of(samples, [&](std::uint32_t s) { return counts(s) ? size_of(s) : 0; });
    for (std::uint32_t s = 0; !all_fit && s < samples; ++s) {
      if (counts(s)) find_faults(s, size_of(s));
    }
    VECC_TRY_VOID(findings_.result());
    return result;
  }

  Result<LossSamples> read_pairs() const {
    LossSamples result;
    const std::vector<std::uint32_t> ordered = by_group();
    for (std::size_t begin = 0; begin < ordered.size();) {
      std::size_t middle = begin;
      while (middle < ordered.size() && is_with(ordered, begin, middle, Role::Positive)) ++middle;
      std::size_t end = middle;
      while (end < ordered.size() && is_with(ordered, begin, end, Role::Negative)) ++end;
      if ((middle - begin) * (end - middle) + result.pairs.size() > kMaxRows) {
        return Errors(ErrorCode::LimitRows, "margin_ranking",
                      "more than " + std::to_string(kMaxRows) + " pairs");
      }
      for (std::size_t p = begin; p < middle; ++p) {
        for (std::size_t n = middle; n < end; ++n) add_pair(ordered[p], ordered[n], result);
      }
      begin = end;
    }
    return result;
  }

  /// Of all targets read.
  [[nodiscard]] std::uint64_t elements() const { return elements_; }

 private:
  [[nodiscard]] std::uint32_t number(std::uint32_t sample) const {
    return choice_.samples.empty() ? sample : choice_.samples[sample];
  }
  [[nodiscard]] const Sample& at(std::uint32_t sample) const {
    return graph_.samples[number(sample)];
  }

  [[nodiscard]] std::span<const double> target_of(const Sample& sample) const {
    return std::span(graph_.target_values).subspan(sample.target_begin, sample.target_shape.size());
  }

  // Whether it has so many numbers.
  [[nodiscard]] bool copy_target(std::uint32_t s, std::span<double> to) const {
    if (at(s).target_shape.size() != to.size()) return false;
    std::ranges::copy(target_of(at(s)), to.begin());
    return std::ranges::none_of(to, [](double v) { return std::isnan(v); });
  }

  void find_faults(std::uint32_t s, std::uint64_t size) {
    const Sample& sample = at(s);
    if (sample.target_shape.size() != size) {
      return findings_.add(number(s), "a target of " + sample.target_shape.text() +
                                          ", but the output has " + std::to_string(size) +
                                          (size == 1 ? " element" : " elements"));
    }
    if (std::ranges::any_of(target_of(sample), [](double v) { return std::isnan(v); })) {
      findings_.add(number(s), "the target is not a number");
    }
  }

  // Those that may be in a pair: group by group, positives first, else in order.
  [[nodiscard]] std::vector<std::uint32_t> by_group() const {
    std::vector<std::uint32_t> samples;
    for (std::uint32_t s = 0; s + 1 < begin_.size(); ++s) {
      const bool ranks = at(s).group != kNoGroup && at(s).role != Role::Unspecified;
      if (ranks && is_chosen(at(s), choice_.split)) samples.push_back(s);
    }
    std::ranges::stable_sort(samples, {}, [&](std::uint32_t s) {
      return std::tuple(at(s).group, at(s).role == Role::Negative);
    });
    return samples;
  }

  // Whether ordered[i] is of the group of ordered[first], and has the role.
  [[nodiscard]] bool is_with(const std::vector<std::uint32_t>& ordered, std::size_t first,
                             std::size_t i, Role role) const {
    return at(ordered[i]).group == at(ordered[first]).group && at(ordered[i]).role == role;
  }

  void add_pair(std::uint32_t positive, std::uint32_t negative, LossSamples& result) const {
    result.pairs.push_back({positive, negative});
    result.weights.push_back(double{at(positive).weight} * at(negative).weight);
  }

  const NeuronGraph& graph_;
  std::vector<std::uint64_t> begin_;
  const SampleChoice& choice_;
  std::uint64_t elements_ = 0;
  SampleFindings findings_;
};

}  // namespace

Result<LossSamples> loss_samples(const NeuronGraph& graph, const Program& program,
                                 const SampleChoice& choice, const LossOptions& options) {
  const std::size_t count = choice.samples.empty() ? graph.samples.size() : choice.samples.size();
  if (count != program.sample_count()) {
    return Errors(ErrorCode::Usage, "loss",
                  std::to_string(count) + " samples, but the program has " +
                      std::to_string(program.sample_count()));
  }
  for (const std::uint32_t sample : choice.samples) {
    if (sample < graph.samples.size()) continue;
    return Errors(ErrorCode::Usage, "loss",
                  "sample " + std::to_string(sample) + ", but the graph has " +
                      std::to_string(graph.samples.size()));
  }
  SampleReader reader(graph, program, choice);
  const bool ranks = options.loss == Loss::MarginRanking;
  auto result = ranks ? reader.read_pairs() : reader.read_targets(options);
  if (!result) return result;
  const std::vector<double>& weights = result->weights;
  const std::uint64_t counted =
      total_of(static_cast<std::uint32_t>(weights.size()),
               [&](std::uint32_t i) { return weights[i] != 0 ? 1u : 0u; });
  if (options.reduction == Reduction::ElementMean && !ranks) {
    divide(*result, static_cast<double>(reader.elements()));
  } else if (options.reduction == Reduction::Mean || options.reduction == Reduction::ElementMean) {
    divide(*result, static_cast<double>(counted));
  }
  return result;
}

}  // namespace vecc
