#include "src/program/value_places.h"

namespace vecc {
namespace {

// Whether a concat's buffer may hold the value from the start.
bool is_placeable(OpKind kind) {
  switch (kind) {
    case OpKind::Fact:    // made once, before the first run
    case OpKind::Weight:  // one gradient a parameter
    case OpKind::State:
    case OpKind::Gather:  // not stored
    case OpKind::Update:
    case OpKind::Output: return false;
    case OpKind::Concat:
    case OpKind::Linear:
    case OpKind::Segment:
    case OpKind::Transform:
    case OpKind::Map:
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum: return true;
  }
  fail_check("known op", __FILE__, __LINE__, std::string(text_of(kind)));
}

}  // namespace

std::vector<Place> place_values(const Program& program) {
  const auto count = static_cast<ValueId>(program.ops().size());
  std::vector<Place> places(count);
  std::vector<bool> taken(count);
  for (ValueId id = 0; id < count; ++id) places[id] = {id, 0};
  for (ValueId id = count; id-- > 0;) {  // what a concat is part of is placed before it
    if (program.op(id).kind() != OpKind::Concat) continue;
    std::uint32_t row = places[id].first_row;
    for (const ValueId operand : program.op(id).operands) {
      if (!taken[operand] && is_placeable(program.op(operand).kind())) {
        taken[operand] = true;
        places[operand] = {places[id].buffer, row};
      }
      row += program.op(operand).rows;
    }
  }
  return places;
}

}  // namespace vecc
