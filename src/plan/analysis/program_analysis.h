// What lowering knows of a Program before it makes the first kernel.
#pragma once

#include <vector>

#include "src/plan/analysis/inlined_values.h"
#include "src/plan/analysis/operand_reads.h"
#include "src/plan/analysis/value_source.h"
#include "vecc/plan.h"

namespace vecc {

struct ProgramAnalysis {
  std::vector<Place> places;  ///< by value
  ValueSources sources;
  std::vector<bool> is_updated;     ///< by value: an update stores into its rows
  std::vector<ValueId> parameters;  ///< the first value that is a parameter's rows
  /// By value: what reads it computes its rows, as it comes to them, so that they are never stored.
  /// What is read to do so is there anyway.
  std::vector<bool> inlined;
  /// By value: ops read it row by row that could be computed in its kernel.
  std::vector<bool> has_row_reader;
  /// By value: the contract beside which a sum is computed, and that sum of it (find_side_sums).
  std::vector<ValueId> side_sums;

  /// One value for all that are the same memory: of a parameter the first op that reads it.
  [[nodiscard]] ValueId memory_of(const Program& program, ValueId value) const;
};

[[nodiscard]] ProgramAnalysis analyze(const Program& program, const PlanOptions& options);

}  // namespace vecc
