// NeuraLogic's own gradients, as tools/golden/convert.py writes them beside a graph: negated
// (-dE/d.), of one sample's error at a time. After each sample stand its neurons and weights.
//
//   sample <tab> id <tab> shape (`1`, `3x1`) <tab> gradient at the output
//   neuron <tab> file id <tab> shape <tab> gradient; of all neurons of the sample but fixed facts
//   weight <tab> weight id <tab> shape <tab> gradient; of the weights that the sample reaches
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vecc/shape.h"

namespace vecc::test {

struct ExpectedGradient {
  std::uint64_t id = 0;  ///< file id of a neuron or a weight
  Shape shape;
  std::uint64_t begin = 0;  ///< into ExpectedGradients::values
};

struct SampleGradients {
  std::string id;
  ExpectedGradient output;  ///< its id is not used
  std::vector<ExpectedGradient> neurons;
  std::vector<ExpectedGradient> weights;
};

struct ExpectedGradients {
  std::vector<SampleGradients> samples;  ///< in the graph's order
  std::vector<double> values;

  [[nodiscard]] std::span<const double> value(const ExpectedGradient& g) const {
    return std::span(values).subspan(g.begin, g.shape.size());
  }
};

/// Throws std::runtime_error with file and line if the file cannot be read or a line is malformed.
[[nodiscard]] ExpectedGradients read_expected_gradients(const std::string& path);

}  // namespace vecc::test
