// The loss where nothing is said, and what does not fit together.
#pragma once

#include <string>

#include "vecc/loss.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

/// The loss that fits samples and outputs:
///   - margin_ranking for samples with roles and no targets;
///   - targets of classes or labels (target_kind()): of scalar outputs crossentropy where they are
///     sigmoids; of vectors binary_crossentropy where each entry is a sigmoid, else, of classes,
///     softentropy;
///   - else squared_diff.
[[nodiscard]] Loss choose_loss(const NeuronGraph& graph, const Program& program);

/// What is wrong with a loss for these outputs; empty if nothing is.
[[nodiscard]] std::string find_misfit(const Program& program, Loss loss);

/// "softentropy of softmax outputs"
[[nodiscard]] std::string describe_loss(const Program& program, Loss loss);

}  // namespace vecc::tools
