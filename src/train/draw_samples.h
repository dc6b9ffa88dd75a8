// Which samples the batches of a training have, and their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/neuron_graph.h"
#include "vecc/program.h"
#include "vecc/train.h"

namespace vecc::training {

/// Of `samples`, in their order, those that batches are drawn of. All of them
/// - without batches: of a full batch those without a target have weights of 0;
/// - with a loss of pairs, whose samples have no targets;
/// - where the Program has statistics (batch norm), in which every sample of a step counts.
/// Else those with a target, whatever their weight: a batch of N has N samples to learn from.
[[nodiscard]] std::vector<std::uint32_t> samples_to_draw(const NeuronGraph& graph,
                                                         const Program& program,
                                                         const TrainOptions& options,
                                                         std::vector<std::uint32_t> samples);

/// The order of an epoch's samples depends on nothing but the seed and the epoch. With a loss of
/// pairs, which are of one batch, a group's samples stand together, where the first of them comes.
void shuffle_samples(const NeuronGraph& graph, const TrainOptions& options, std::uint64_t epoch,
                     std::vector<std::uint32_t>& samples);

/// Whether batches of a loss of pairs can have any. Error: Usage.
[[nodiscard]] Result<void> check_pairs(const NeuronGraph& graph, const TrainOptions& options,
                                       std::span<const std::uint32_t> samples);

}  // namespace vecc::training
