#include "train_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "src/support/hash128.h"
#include "src/train/shuffle.h"

namespace vecc::tools {
namespace {

using Samples = std::vector<std::uint32_t>;

// Samples that stay together, in an order drawn by the seed: those of a group, or a single one.
std::vector<Samples> draw_units(const NeuronGraph& graph, std::uint64_t seed) {
  std::vector<Samples> units;
  std::map<std::uint32_t, std::size_t> unit_of_group;
  for (std::uint32_t s = 0; s < graph.samples.size(); ++s) {
    const Sample& sample = graph.samples[s];
    if (sample.split == Split::Test) continue;
    if (sample.group == kNoGroup) {
      units.push_back({s});
      continue;
    }
    const auto [unit, is_new] = unit_of_group.try_emplace(sample.group, units.size());
    if (is_new) units.emplace_back();
    units[unit->second].push_back(s);
  }
  const training::SeedWords words{static_cast<std::uint32_t>(seed),
                                  static_cast<std::uint32_t>(seed >> 32)};
  training::shuffle_by(words, units);
  return units;
}

// Units first .. last - 1 validate.
SampleSplit split_units(const std::vector<Samples>& units, std::size_t first, std::size_t last) {
  SampleSplit split;
  for (std::size_t u = 0; u < units.size(); ++u) {
    Samples& side = u >= first && u < last ? split.validation : split.training;
    side.insert(side.end(), units[u].begin(), units[u].end());
  }
  std::ranges::sort(split.training);
  std::ranges::sort(split.validation);
  return split;
}

}  // namespace

SampleSplit marked_split(const NeuronGraph& graph) {
  SampleSplit split;
  for (std::uint32_t s = 0; s < graph.samples.size(); ++s) {
    switch (graph.samples[s].split) {
      case Split::Unspecified:
      case Split::Train: split.training.push_back(s); break;
      case Split::Validation: split.validation.push_back(s); break;
      case Split::Test: break;
    }
  }
  return split;
}

Result<SampleSplit> fraction_split(const NeuronGraph& graph, double fraction, std::uint64_t seed) {
  const std::vector<Samples> units = draw_units(graph, seed);
  const auto count =
      static_cast<std::size_t>(std::llround(fraction * static_cast<double>(units.size())));
  if (count == 0 || count >= units.size()) {
    return Errors(ErrorCode::Usage, "--validate",
                  "of " + std::to_string(units.size()) + " samples or groups, " +
                      std::to_string(count) + " would validate: one side is empty");
  }
  return split_units(units, 0, count);
}

Result<std::vector<SampleSplit>> fold_splits(const NeuronGraph& graph, std::uint32_t folds,
                                             std::uint64_t seed) {
  const std::vector<Samples> units = draw_units(graph, seed);
  if (units.size() < folds) {
    return Errors(ErrorCode::Usage, "--folds",
                  "there are only " + std::to_string(units.size()) + " samples or groups");
  }
  std::vector<SampleSplit> splits;
  for (std::size_t k = 0; k < folds; ++k) {
    splits.push_back(split_units(units, k * units.size() / folds, (k + 1) * units.size() / folds));
  }
  return splits;
}

std::vector<std::uint32_t> samples_to_validate(const NeuronGraph& graph) {
  std::vector<std::uint32_t> samples;
  for (std::uint32_t s = 0; s < graph.samples.size(); ++s) {
    if (graph.samples[s].split != Split::Test) samples.push_back(s);
  }
  return samples;
}

Fingerprint fingerprint_samples(const NeuronGraph& graph, std::span<const std::uint32_t> samples) {
  Hash128 mixer;
  for (const std::uint32_t s : samples) {
    const Sample& sample = graph.samples[s];
    mixer.add(std::uint64_t{s});
    mixer.add((std::uint64_t{sample.group} << 8) | static_cast<std::uint8_t>(sample.role));
    mixer.add(static_cast<double>(sample.weight));
    const std::uint64_t size = sample.has_target ? sample.target_shape.size() : 0;
    mixer.add(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      mixer.add(graph.target_values[sample.target_begin + i]);
    }
  }
  return {mixer.high(), mixer.low()};
}

}  // namespace vecc::tools
