// The samples of a graph, as Python gives them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chunk.h"
#include "vecc/graph_io.h"

namespace vecc::python_package {

/// A column of samples, as _core.GraphWriter.samples takes it; all but `outputs` may be empty.
struct SampleColumns {
  Column<std::uint64_t> outputs;
  std::vector<std::string> ids;
  std::vector<Sides> target_shapes;  ///< one for all, or one a sample
  Column<std::uint8_t> has_target;   ///< empty: all have, if there are shapes
  Column<double> targets;
  Column<std::uint8_t> splits;
  Column<std::uint32_t> groups;
  Column<std::uint8_t> roles;
  Column<float> weights;
};

/// Throws ErrorsRaised (ColumnLength) where columns do not fit together.
[[nodiscard]] std::vector<SampleRecord> records_of(const SampleColumns& columns);

}  // namespace vecc::python_package
