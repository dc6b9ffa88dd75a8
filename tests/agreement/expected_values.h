// NeuraLogic's own values, as tools/golden/convert.py writes them beside a graph.
//
//   neuron <tab> file id <tab> the dump's index <tab> shape (`1`, `3x1`) <tab> values
//   sample <tab> id <tab> file id of the output neuron <tab> shape <tab> values
//
// Lines that begin with # are comments. A file may hold samples only (datasets/).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vecc/shape.h"

namespace vecc::test {

struct ExpectedNeuron {
  std::uint64_t file_id = 0;
  std::int64_t dump_index = 0;
  Shape shape;
  std::uint64_t begin = 0;  ///< into ExpectedValues::values
};

struct ExpectedSample {
  std::string id;
  std::uint64_t output = 0;  ///< file id of a neuron
  Shape shape;
  std::uint64_t begin = 0;
};

struct ExpectedValues {
  std::vector<ExpectedNeuron> neurons;  ///< in order of file_id
  std::vector<ExpectedSample> samples;  ///< in the graph's order
  std::vector<double> values;

  [[nodiscard]] std::span<const double> value(const ExpectedNeuron& n) const {
    return std::span(values).subspan(n.begin, n.shape.size());
  }
  [[nodiscard]] std::span<const double> value(const ExpectedSample& s) const {
    return std::span(values).subspan(s.begin, s.shape.size());
  }
};

/// Throws std::runtime_error with file and line if the file cannot be read or a line is malformed.
[[nodiscard]] ExpectedValues read_expected_values(const std::string& path);

}  // namespace vecc::test
