#include "src/program/op_arrays.h"
#include "vecc/program.h"

namespace vecc {
namespace {

bool is_computed(OpKind kind) {
  switch (kind) {
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::State:
    case OpKind::Output: return false;
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Linear:
    case OpKind::Segment:
    case OpKind::Transform:
    case OpKind::Map:
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum:
    case OpKind::Update: return true;
  }
  return true;
}

}  // namespace

ProgramStatistics statistics(const Program& program) {
  ProgramStatistics result;
  for (const Op& op : program.ops()) {
    ++result.ops;
    if (is_computed(op.kind())) result.rows += op.rows;
    result.value_bytes += op.size() * byte_size(op.dtype);
    for_each_array(op, [&](const auto& array) {
      result.index_bytes += array->size() * sizeof(std::uint32_t);
    });
  }
  for (const Parameter& parameter : program.parameters()) {
    result.parameter_bytes +=
        std::uint64_t{parameter.rows} * parameter.shape.size() * byte_size(program.dtype());
  }
  return result;
}

}  // namespace vecc
