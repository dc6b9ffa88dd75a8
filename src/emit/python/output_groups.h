// What forward() returns, and the loss of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vecc/emit_python.h"

namespace vecc::python {

struct OutputText {
  std::string about;      ///< forward()'s docstring
  std::string tables;     ///< constants before the class
  std::string body;       ///< the end of forward()
  std::string by_sample;  ///< the method that pairs rows with samples
  std::string loss;       ///< the method; empty: none
  std::vector<WeightTensor> tensors;
};

/// `reads`: by `output` op, what reads its rows. Outputs of one shape are one tensor in the order
/// of the samples; of several shapes a dict of such tensors by shape.
[[nodiscard]] OutputText print_outputs(const Program& program,
                                       const std::vector<std::string>& reads,
                                       const std::optional<PythonLoss>& loss);

}  // namespace vecc::python
