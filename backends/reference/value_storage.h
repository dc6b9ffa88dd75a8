// Where the interpreter keeps the values of a Program, or their gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/reference/rows.h"
#include "src/program/value_places.h"
#include "vecc/program.h"

namespace vecc::reference {

/// The value that a chain of gathers reads: `value` itself if it is no gather.
[[nodiscard]] ValueId gathered_value(const Program& program, ValueId value);

/// One buffer of doubles a place. Program and places outlive it.
class ValueStorage {
 public:
  ValueStorage(const Program& program, const std::vector<Place>& places)
      : program_(&program), places_(&places), buffers_(program.ops().size()) {}

  /// Zeros in the buffer of `value`, unless it is there. Not for a gather.
  void allocate(ValueId value);
  /// Frees a buffer.
  void release(ValueId buffer) { std::vector<double>().swap(buffers_[buffer]); }
  /// A value's rows, absent if its buffer is; through gathers.
  [[nodiscard]] Rows rows(ValueId value) const;
  [[nodiscard]] MutableRows rows(ValueId value);

 private:
  template <class Number, class Storage>
  static RowsOf<Number> rows_in(Storage& storage, ValueId value);

  const Program* program_;
  const std::vector<Place>* places_;
  std::vector<std::vector<double>> buffers_;  // by value; only those of `places`
};

}  // namespace vecc::reference
