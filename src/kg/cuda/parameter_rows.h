// A user's score on a GPU: rows lie one parameter after the other, all rows' numbers of the first,
// then those of the second.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/kg/score_formula/score_formula.h"

namespace vecc::kg {

/// `count` rows of tables as they lie on the host become rows by parameter, or back.
template <class T>
[[nodiscard]] std::vector<T> rows_by_parameter(const std::vector<T>& rows,
                                               const ScoreFormula& formula, ParameterOwner owner,
                                               std::uint64_t count, bool to_rows) {
  std::vector<T> moved(rows.size());
  const std::uint64_t width = formula.width_of(owner);
  for (const ScoreParameter& parameter : formula.parameters) {
    if (parameter.owner != owner) continue;
    const std::uint64_t size = parameter.shape.size();
    for (std::uint64_t row = 0; row < count; ++row) {
      const std::uint64_t in_rows = row * width + parameter.begin;
      const std::uint64_t apart = parameter.begin * count + row * size;
      std::copy_n(rows.data() + (to_rows ? apart : in_rows), size,
                  moved.data() + (to_rows ? in_rows : apart));
    }
  }
  return moved;
}

}  // namespace vecc::kg
