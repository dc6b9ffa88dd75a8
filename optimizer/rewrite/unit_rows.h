// Which values are units: the scalar 1, the value of a fact without a value.
#pragma once

#include <optional>
#include <vector>

#include "optimizer/rewrite/source_rows.h"
#include "vecc/program.h"

namespace vecc::opt {

/// Whether a fact has only unit rows: `fact unit`, or scalar rows that are all exactly 1. (A vector
/// of ones is no unit: `W * [1, 1, 1]` is not `W`.)
[[nodiscard]] bool is_unit_fact(const Op& op);

/// Unit rows of a whole Program: those of facts, products of two of them, and what gathers and
/// concats read of both.
class UnitRows {
 public:
  /// Linear in the rows of gathers, concats and products of scalars; `program` must outlive it.
  explicit UnitRows(const Program& program);

  /// Whether no row of the Program is a unit.
  [[nodiscard]] bool none() const { return !sources_; }
  /// Whether all rows of `value` are units; not of a value without rows.
  [[nodiscard]] bool all(ValueId value) const;

 private:
  void mark_fact(const FactOp& fact, ValueId id);
  void mark_product(const LinearOp& linear, ValueId id);

  const Program& program_;
  std::optional<SourceRows> sources_;  // absent if no fact has a unit row
  std::vector<bool> unit_;             // by source row
};

}  // namespace vecc::opt
