// Minibatches: the part of a Program that some of its samples need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// Where the output of a sample is: a row of an `output` op.
struct SampleRow {
  ValueId output = 0;
  std::uint32_t row = 0;
};
/// By sample.
[[nodiscard]] std::vector<SampleRow> sample_rows(const Program& program);

/// What becomes of a forward Program's updates (of statistics, by a training step).
enum class RestrictUpdates : std::uint8_t { Drop, Keep };

/// Restricts one Program again and again. No pass runs: ops keep their order and their meaning and
/// lose the rows that none of the samples reads, so that the optimizer's work on the whole carries
/// over.
///
///   %2 = segment %1 [0, 2, 5, 6] sum : f32[3, 1]         samples {2, 0}
///   %3 = output %2 [0:3] : f32[3, 1]
///   =>
///   %2 = segment %1 [0, 2, 3] sum : f32[2, 1]            %1 has its rows 0, 1 and 5
///   %3 = output %2 [1, 0] : f32[2, 1]                    row 0 is now sample 1
class BatchProgram {
 public:
  /// A forward Program, with updates of whole parameters. What the samples read has no contract,
  /// vjp or state, nor an index that is a value (draw, take, sum_equal, scatter_sum):
  /// restrict_to()'s VECC_CHECK, as of other updates that it keeps. It must outlive this.
  explicit BatchProgram(const Program& program);

  /// The Program of these samples (each below sample_count(), each at most once), which it numbers
  /// from 0 in their order. Parameters are the same, with all their rows. Takes time linear in the
  /// rows and members that the samples reach, times the logarithm of the rows of an op, and in the
  /// number of ops. Updates that are kept have all their rows, and all that those read.
  [[nodiscard]] Program restrict_to(std::span<const std::uint32_t> samples,
                                    RestrictUpdates updates = RestrictUpdates::Drop) const;

 private:
  const Program& program_;
  std::vector<SampleRow> rows_;  // by sample
};

}  // namespace vecc
