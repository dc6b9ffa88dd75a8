// What reading a value means once gathers are gone: rows of another value, through an index.
#pragma once

#include <optional>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// Row i of a value is row index[i] of `value`; no index: row i.
struct ValueSource {
  ValueId value = 0;
  std::optional<Index> index;

  [[nodiscard]] bool is_direct() const { return !index; }
};

/// By value, through chains of gathers; the value of an update is what it stores. A value that is
/// computed, or stored by itself, is its own source; so is a `segment concat` and a reshaped value,
/// whose rows are others. Linear in the lists that are composed.
[[nodiscard]] std::vector<ValueSource> value_sources(const Program& program);

/// `source`, of a value of `rows` rows, read through one more index.
[[nodiscard]] ValueSource through(const ValueSource& source, const Index& index,
                                  std::uint32_t rows);

/// What a side of a `linear` reads in row i of the result: the source's row, through its lift.
[[nodiscard]] ValueSource lifted_source(const ValueSource& source, const Lift& lift,
                                        std::uint32_t operand_rows);

}  // namespace vecc
