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
    case OpKind::Update: return true;
  }
  return true;
}

struct IndexBytes {
  std::uint64_t operator()(const FactOp&) const { return 0; }
  std::uint64_t operator()(const WeightOp&) const { return 0; }
  std::uint64_t operator()(const ConcatOp&) const { return 0; }
  std::uint64_t operator()(const GatherOp& op) const { return op.index.bytes(); }
  std::uint64_t operator()(const LinearOp&) const { return 0; }
  std::uint64_t operator()(const SegmentOp& op) const { return op.segments.offsets().size_bytes(); }
  std::uint64_t operator()(const TransformOp& op) const {
    return op.words ? op.words->size() * sizeof(std::uint32_t) : 0;
  }
  std::uint64_t operator()(const MapOp&) const { return 0; }
  std::uint64_t operator()(const ContractOp& op) const { return op.types.bytes(); }
  std::uint64_t operator()(const VjpOp& op) const { return std::visit(*this, op.of); }
  std::uint64_t operator()(const StateOp&) const { return 0; }
  std::uint64_t operator()(const UpdateOp& op) const { return op.rows ? op.rows->bytes() : 0; }
  std::uint64_t operator()(const OutputOp& op) const { return op.samples.bytes(); }
};

}  // namespace

ProgramStatistics statistics(const Program& program) {
  ProgramStatistics result;
  for (const Op& op : program.ops()) {
    ++result.ops;
    if (is_computed(op.kind())) result.rows += op.rows;
    result.value_bytes += op.size() * byte_size(op.dtype);
    result.index_bytes += std::visit(IndexBytes(), op.attributes);
  }
  for (const Parameter& parameter : program.parameters()) {
    result.parameter_bytes +=
        std::uint64_t{parameter.rows} * parameter.shape.size() * byte_size(program.dtype());
  }
  return result;
}

}  // namespace vecc
