// Gradients of the learnable weights, as text. Of one number: the sum of all elements of all
// samples' outputs.
//
// One line a weight: its table's name, escaped; a tab; its row in the table, from 0; a tab; the
// derivatives, row-major with 17 significant digits, separated by spaces.
#pragma once

#include <string>

#include "tools/common/stages.h"
#include "vecc/backend.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

/// The reference's: stage `gradients`. Errors: differentiate_reference's, CannotWrite.
[[nodiscard]] Result<void> write_gradients(const NeuronGraph& graph, const ReferenceValues& values,
                                           const std::string& path, Stages& stages);

/// Those of a Program that has run, compiled with ExecutionOptions::gradients: stage `gradients`.
/// A table that no op of the Program reads has zeros. Errors: differentiate's, CannotWrite.
[[nodiscard]] Result<void> write_gradients(const NeuronGraph& graph, const Program& program,
                                           Executable& executable, const std::string& path,
                                           Stages& stages);

}  // namespace vecc::tools
