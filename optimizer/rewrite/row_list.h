// A list of rows of several values, read as one value: a gather, of a concat if there are several.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "optimizer/rewrite/rewriter.h"

namespace vecc::opt {

class RowList {
 public:
  explicit RowList(Rewriter& rewriter) : rewriter_(rewriter) {}
  /// Row `row` of `value`, a value of the new Program. All have one shape.
  void add(ValueId value, std::uint32_t row);
  /// The rows in the order in which they were added, at least one.
  [[nodiscard]] ValueId read(const Note& note);

 private:
  Rewriter& rewriter_;
  Operands values_;
  boost::unordered_flat_map<ValueId, std::uint32_t> first_rows_;  // by value, in the concat
  std::uint32_t next_row_ = 0;
  std::vector<std::uint32_t> rows_;
};

}  // namespace vecc::opt
