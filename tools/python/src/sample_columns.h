// The samples of a graph, as Python gives them.
#pragma once

#include <cstdint>
#include <functional>
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
  /// In the place of `targets`, of a Program's samples: where the only 1 of each is.
  Column<std::uint32_t> target_classes;
};

/// Calls `visit` for each sample, in order; targets are where the column has them. Throws
/// ErrorsRaised (ColumnLength) where columns do not fit together: before the first call, but for a
/// number of targets that is not that of their shapes.
void for_each_record(const SampleColumns& columns,
                     const std::function<void(const SampleRecord&)>& visit);
/// All of them; the same errors.
[[nodiscard]] std::vector<SampleRecord> records_of(const SampleColumns& columns);

}  // namespace vecc::python_package
