// Ops that store rows which are made elsewhere: concats, outputs, reshaped rows.
#include "src/plan/lower/lower_ops.h"

namespace vecc {

void copy_rows(const OpLowering& lowering, ValueId id, const RowRead& read, std::uint32_t rows,
               std::uint32_t first_row) {
  const KernelBuilder kernel = lowering.begin_new_rows(rows, std::span(&read, 1));
  kernel.store_rows(id, kernel.read(read), first_row);
}

// Operands that have the concat's buffer as their place are stored there by what makes them; the
// others are copied.
void lower_concat(const OpLowering& lowering) {
  const ValueId id = lowering.op;
  Grouping& grouping = lowering.grouping;
  const Place own = grouping.values.place(id);
  std::uint32_t row = 0;
  for (const ValueId operand : lowering.program.op(id).operands) {
    const std::uint32_t rows = lowering.program.op(operand).rows;
    const auto [value, index] = lowering.analysis.sources[operand];
    const Place place = grouping.values.place(value);
    if (!index && value != id && place.buffer == own.buffer &&
        place.first_row == own.first_row + row) {
      grouping.values.mark_stored(value);
      grouping.freeze(value);
      grouping.values.add_stored_rows(id, grouping.level_of(value));
    } else if (rows > 0) {
      copy_rows(lowering, id, lowering.read_of(operand), rows, row);
    }
    row += rows;
  }
  grouping.values.add_stored_rows(id, 0);
}

// What the host reads: the rows behind the output; of what an update changes, a copy of the rows
// that were there before.
void lower_output(const OpLowering& lowering) {
  const Op& op = lowering.program.op(lowering.op);
  Grouping& grouping = lowering.grouping;
  ValueSource source = lowering.analysis.sources[op.operands[0]];
  if (lowering.analysis.is_updated[source.value]) {
    const RowRead copy = lowering.add_temporary(op.rows, op.shape);
    copy_rows(lowering, copy.value, lowering.read_of(op.operands[0]), op.rows, 0);
    grouping.values.set_source(lowering.op, {copy.value, std::nullopt});
    return;
  }
  grouping.values.mark_stored(source.value);
  grouping.freeze(source.value);
  grouping.values.set_source(lowering.op, std::move(source));
}

// No data moves, unless rows are read out of order or the result has a place of its own.
void reshape_rows(const OpLowering& lowering, ValueId id, const RowRead& read) {
  Grouping& grouping = lowering.grouping;
  if (read.index || grouping.values.place(id).buffer != id ||
      is_constant_one(lowering.program, read.value)) {
    copy_rows(lowering, id, read, lowering.row_count(read), 0);
    return;
  }
  grouping.values.set_alias(id, read.value, grouping.level_of(read.value));
  grouping.freeze(read.value);
}

}  // namespace vecc
