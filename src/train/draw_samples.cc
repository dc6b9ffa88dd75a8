#include "src/train/draw_samples.h"

#include <algorithm>

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

void shuffle_samples(std::vector<std::uint32_t>& samples, std::uint64_t seed, std::uint64_t epoch) {
  const SeedWords words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(epoch >> 32)};
  shuffle_by(words, samples);
}

}  // namespace vecc::training
