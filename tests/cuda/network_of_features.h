// A network over features that are facts, some nodes of which have most of the readers, and its
// training on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vecc/backend.h"
#include "vecc/neuron_graph.h"
#include "vecc/train.h"

namespace vecc::test {

/// Two layers h(X) = tanh(W mean of h(Y) + V h(X)); every third of `count` nodes has a label.
[[nodiscard]] NeuronGraph network_of_features(std::uint32_t count, std::uint32_t width);

/// Weights after some steps, with the moments that made them; none where `execution` cannot be.
[[nodiscard]] std::optional<std::vector<double>> train_some_steps(const NeuronGraph& graph,
                                                                  const TrainOptions& options,
                                                                  ExecutionOptions execution);

}  // namespace vecc::test
