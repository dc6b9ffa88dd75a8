// From sample order to the rows of `output` ops.
#pragma once

#include <vector>

#include "vecc/loss.h"

namespace vecc::training {

/// The `output` ops, in their order.
[[nodiscard]] std::vector<ValueId> output_ops(const Program& program);
/// Targets of an `output` op's rows.
[[nodiscard]] std::vector<double> target_rows(const Program& program, ValueId output,
                                              const LossSamples& samples);
/// Weights of an `output` op's rows.
[[nodiscard]] std::vector<double> weight_rows(const Program& program, ValueId output,
                                              const LossSamples& samples);

}  // namespace vecc::training
