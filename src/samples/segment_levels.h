// How far the aggregations of a Program are from its outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// By op.
struct SegmentLevels {
  /// Of a `segment` op: the largest number of aggregations by sum, avg, max, min, elmax, elmin,
  /// softmax or sparsemax on a way from it to an output; such an aggregation itself counts, and so
  /// does any other, itself alone. 0 where no output depends on it, and of other ops.
  std::vector<std::uint32_t> levels;
  /// Of a `segment` op that is no softmax: find_softmax_factor(). That softmax does not count
  /// beside it.
  std::vector<std::optional<ValueId>> softmaxes;
};

/// Of a forward Program. Time linear in its ops, and in the rows of attention.
[[nodiscard]] SegmentLevels find_segment_levels(const Program& program);

}  // namespace vecc
