#include "src/train/draw_samples.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "src/train/shuffle.h"
#include "src/train/step_program.h"
#include "vecc/step_inputs.h"

namespace vecc::training {
namespace {

bool has_statistics(const Program& program) {
  return find_parameter(program, kStepSamples) ||
         std::ranges::any_of(program.ops(),
                             [](const Op& op) { return op.kind() == OpKind::Update; });
}

// Where the first sample of each group stands follow the others of it.
void gather_groups(const NeuronGraph& graph, std::vector<std::uint32_t>& samples) {
  std::unordered_map<std::uint32_t, std::size_t> first;  // by group
  std::vector<std::pair<std::size_t, std::uint32_t>> by_first;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::uint32_t group = graph.samples[samples[i]].group;
    const std::size_t at = group == kNoGroup ? i : first.try_emplace(group, i).first->second;
    by_first.emplace_back(at, samples[i]);
  }
  std::ranges::stable_sort(by_first, {}, [](const auto& of) { return of.first; });
  std::ranges::transform(by_first, samples.begin(), [](const auto& of) { return of.second; });
}

}  // namespace

std::vector<std::uint32_t> samples_to_draw(const NeuronGraph& graph, const Program& program,
                                           const TrainOptions& options,
                                           std::vector<std::uint32_t> samples) {
  const bool has_batches = options.batch_size > 0 && options.batch_size < samples.size();
  const bool draws = has_batches || options.members != nullptr;
  if (!draws || options.loss.loss == Loss::MarginRanking || has_statistics(program)) return samples;
  std::erase_if(samples, [&](std::uint32_t sample) { return !graph.samples[sample].has_target; });
  return samples;
}

void shuffle_samples(const NeuronGraph& graph, const TrainOptions& options, std::uint64_t epoch,
                     std::vector<std::uint32_t>& samples) {
  const std::uint64_t seed = options.seed;
  const SeedWords words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(epoch >> 32)};
  shuffle_by(words, samples);
  if (options.loss.loss == Loss::MarginRanking) gather_groups(graph, samples);
}

Result<void> check_pairs(const NeuronGraph& graph, const TrainOptions& options,
                         std::span<const std::uint32_t> samples) {
  if (options.loss.loss != Loss::MarginRanking) return {};
  if (options.batch_size == 1 && samples.size() > 1) {
    return Errors(ErrorCode::Usage, "--batch-size",
                  "margin_ranking: pairs are of samples of one batch: found 1, expected 2 or more");
  }
  std::unordered_map<std::uint32_t, unsigned> roles;  // by group: 1 positive, 2 negative
  for (const std::uint32_t s : samples) {
    const Sample& sample = graph.samples[s];
    if (sample.group == kNoGroup || sample.role == Role::Unspecified) continue;
    if ((roles[sample.group] |= sample.role == Role::Positive ? 1u : 2u) == 3u) return {};
  }
  return Errors(ErrorCode::Usage, "training",
                "no pair of a positive and a negative sample in one group");
}

}  // namespace vecc::training
