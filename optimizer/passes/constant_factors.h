// Constant scalars of a Program, as numbers: those of facts, and those that are computed of facts,
// as 1 / sqrt(degree) is, before they are folded.
#pragma once

#include <vector>

#include "optimizer/passes/evaluate_rows.h"
#include "optimizer/rewrite/source_rows.h"
#include "vecc/program.h"

namespace vecc::opt {

class ConstantFactors {
 public:
  /// `program` and its `sources` outlive this. `constant`: by value, what no weight reaches.
  /// Scalars that fold-constants would fold are evaluated, in double as there.
  ConstantFactors(const Program& program, const SourceRows& sources,
                  const std::vector<bool>& constant);

  /// Whether all rows of a value are known, through gathers and concats.
  [[nodiscard]] bool has(ValueId value) const;
  /// A source row of such a value.
  [[nodiscard]] double at(std::uint32_t number) const;

 private:
  const Program& program_;
  const SourceRows& sources_;
  std::vector<FoldedRows> evaluated_;  // by value; none: nothing is computed of facts
};

}  // namespace vecc::opt
