// Where NeuraLogic's gradient is not the derivative (vecc follows mathematics; docs/functions.md).
// Each entry names a file and a reason; nothing else may differ.
#pragma once

#include <string_view>

#include "tests/agreement/expected_gradients.h"
#include "vecc/neuron_graph.h"

namespace vecc::test {

/// Replaces NeuraLogic's gradients by the right ones in the files that have a known difference.
/// Throws std::runtime_error if NeuraLogic's are not the known wrong ones.
void apply_known_gradient_differences(std::string_view file, const NeuronGraph& graph,
                                      ExpectedGradients& expected);

}  // namespace vecc::test
