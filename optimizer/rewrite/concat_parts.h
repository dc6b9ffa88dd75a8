// Where the operands of concats stand in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "vecc/program.h"

namespace vecc::opt {

/// The first row of each operand of a concat, then the number of rows.
using ConcatBegins = std::span<const std::uint32_t>;

/// The operand that row `row` comes from.
[[nodiscard]] inline std::size_t operand_at(ConcatBegins begins, std::uint32_t row) {
  return static_cast<std::size_t>(std::ranges::upper_bound(begins, row) - begins.begin()) - 1;
}

/// The same for many rows: fast where neighbours come from one operand.
class ConcatCursor {
 public:
  explicit ConcatCursor(ConcatBegins begins) : begins_(begins) {}
  /// The operand that row `row` comes from.
  [[nodiscard]] std::size_t operand_at(std::uint32_t row) {
    if (row < begins_[last_] || row >= begins_[last_ + 1]) last_ = opt::operand_at(begins_, row);
    return last_;
  }

 private:
  ConcatBegins begins_;
  std::size_t last_ = 0;
};

/// Computes the begins of a concat when they are first asked for.
class ConcatParts {
 public:
  /// `program` outlives this and may grow.
  explicit ConcatParts(const Program& program) : program_(program) {}
  [[nodiscard]] ConcatBegins of(ValueId concat);

 private:
  const Program& program_;
  std::vector<std::vector<std::uint32_t>> begins_;  // by value; empty: not computed
};

}  // namespace vecc::opt
