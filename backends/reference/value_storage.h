// Where the interpreter keeps the values of a Program, or their gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/reference/rows.h"
#include "vecc/program.h"

namespace vecc {

/// Rows first_row .. of the buffer that is named after one of the values in it.
struct Place {
  ValueId buffer = 0;
  std::uint32_t first_row = 0;
};

/// By value. The operands of a concat are made in its buffer, so that D levels of a recursion, each
/// a concat of all before it and its own rows, take the rows there are and not D times as many.
/// Where two concats have an operand in common, the later one has it in its buffer and the other
/// copies. A gather has no place of its own; facts, weights and states stay by themselves.
[[nodiscard]] std::vector<Place> place_values(const Program& program);

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

}  // namespace vecc
