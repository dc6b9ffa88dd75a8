#include "backends/reference/value_storage.h"

namespace vecc::reference {
ValueId gathered_value(const Program& program, ValueId value) {
  while (program.op(value).kind() == OpKind::Gather) value = program.op(value).operands[0];
  return value;
}

void ValueStorage::allocate(ValueId value) {
  VECC_CHECK(program_->op(value).kind() != OpKind::Gather, "gathers are not stored");
  const ValueId buffer = (*places_)[value].buffer;
  if (buffers_[buffer].empty()) buffers_[buffer].resize(program_->op(buffer).size());
}

template <class Number, class Storage>
RowsOf<Number> ValueStorage::rows_in(Storage& storage, ValueId value) {
  const Op& op = storage.program_->op(value);
  if (const auto* gather = std::get_if<GatherOp>(&op.attributes)) {
    return rows_in<Number>(storage, op.operands[0]).gathered(gather->index);
  }
  const Place& place = (*storage.places_)[value];
  auto& buffer = storage.buffers_[place.buffer];
  Number* const first =
      buffer.empty() ? nullptr : buffer.data() + place.first_row * op.shape.size();
  return {first, op.rows, op.shape};
}

Rows ValueStorage::rows(ValueId value) const {
  return rows_in<const double>(*this, value);
}

MutableRows ValueStorage::rows(ValueId value) {
  return rows_in<double>(*this, value);
}

}  // namespace vecc::reference
