// Gradients of the reference, as text.
#pragma once

#include <string>

#include "tools/common/stages.h"
#include "vecc/backend.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// Writes the derivatives of the sum of all elements of all samples' outputs by the learnable
/// weights: stage `gradients`. One line a weight: its table's name, escaped; a tab; its row in the
/// table, from 0; a tab; the derivatives, row-major with 17 significant digits, separated by
/// spaces. Errors: differentiate_reference's, CannotWrite.
[[nodiscard]] Result<void> write_gradients(const NeuronGraph& graph, const ReferenceValues& values,
                                           const std::string& path, Stages& stages);

}  // namespace vecc::tools
