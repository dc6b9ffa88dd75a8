// The reference's gradients against NeuraLogic's, sample by sample.
#pragma once

#include "tests/agreement/agreement.h"
#include "tests/agreement/expected_gradients.h"

namespace vecc::test {

/// From NeuraLogic's own gradient at each sample's output: every neuron and every weight to 1e-12.
/// A weight that NeuraLogic does not list must have none. The largest difference and what
/// disagrees.
[[nodiscard]] Agreement compare_gradients(const NeuronGraph& graph,
                                          const ExpectedGradients& expected);

}  // namespace vecc::test
