// From sample order to the rows of `output` ops.
#pragma once

#include <memory>
#include <utility>
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

[[nodiscard]] inline std::shared_ptr<const std::vector<double>> shared_values(
    std::vector<double> values) {
  return std::make_shared<const std::vector<double>>(std::move(values));
}

}  // namespace vecc::training
