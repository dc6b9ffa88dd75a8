// Products with columns that other columns make up: which take less work part by part.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/rewrite/doubtful_values.h"
#include "optimizer/rewrite/rewriter.h"
#include "vecc/program.h"

namespace vecc::opt {

/// `factor` times a value's entries, added to a column from entry `begin` on.
struct ColumnPart {
  ValueId value = 0;
  double factor = 1;
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

/// `W concat(x, y - x)` => `(W1 - W2) x + W2 y`: where parts have few rows, which gathers repeat, a
/// product of each row of a part is less work than one of each row of the column.
class ProductParts {
 public:
  /// `program` must outlive this.
  explicit ProductParts(const Program& program) : program_(program), doubtful_(program) {}

  /// The parts of a product's column where they take less work; empty if they do not.
  [[nodiscard]] std::vector<ColumnPart> parts_of(ValueId product);
  /// The product's new value, of parts_of(product).
  ValueId make(Rewriter& rewriter, ValueId product, const std::vector<ColumnPart>& parts) const;

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return program_.op(id); }
  [[nodiscard]] bool takes_less(ValueId product, const std::vector<ColumnPart>& parts) const;
  /// The part of the matrix that all parts of one value have.
  ValueId matrix_of(Rewriter& rewriter, ValueId product,
                    const std::vector<ColumnPart>& of_value) const;

  const Program& program_;
  DoubtfulValues doubtful_;
};

}  // namespace vecc::opt
