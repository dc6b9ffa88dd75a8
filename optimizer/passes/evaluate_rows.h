// The constants that folded values become.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/passes/fold_plan.h"

namespace vecc::opt {

/// The constant rows of one value that are needed.
struct FoldedRows {
  std::vector<double> values;        ///< the distinct ones (by bits), in the order of the rows
  std::uint32_t rows = 0;            ///< how many those are
  std::vector<std::uint32_t> place;  ///< by row of the value: its distinct row, or kNoRow
};

/// By value: what it folds to; empty for values that are not folded. Evaluated in double as
/// functions define it (src/function/evaluate.h), only the rows that folded ones depend on; a
/// value's rows are kept until the last value that reads them is done.
[[nodiscard]] std::vector<FoldedRows> evaluate_folds(const Program& program,
                                                     const SourceRows& sources,
                                                     const FoldPlan& plan);

}  // namespace vecc::opt
