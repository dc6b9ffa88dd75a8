#include "src/emit/python/op_emitter.h"

#include <utility>

namespace vecc::python {
namespace {

// What a value is called, before its number.
std::string_view word_of(const Op& op) {
  if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
    return info(segment->combination).text;
  }
  if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
    return info(transform->transformation.id).text;
  }
  return text_of(op.kind());
}

}  // namespace

std::vector<std::uint64_t> dimensions(Shape shape) {
  if (shape.is_scalar()) return {};
  if (shape.is_vector()) return {shape.size()};
  return {shape.rows(), shape.cols()};
}

std::string more_dimensions(Shape shape) {
  std::string text;
  for (const std::uint64_t side : dimensions(shape)) text += ", " + std::to_string(side);
  return text;
}

std::string spread(Shape from, Shape to) {
  if (!from.is_scalar() || to.is_scalar()) return "";
  return to.is_vector() ? "[:, None]" : "[:, None, None]";
}

OpEmitter::OpEmitter(const Program& program, std::vector<std::string> weights)
    : program_(program),
      chains_(program),
      weights_(std::move(weights)),
      reads_(program.ops().size()) {}

std::vector<Statement> OpEmitter::emit_all() {
  for (ValueId id = 0; id < program_.ops().size(); ++id) emit(id);
  return std::move(statements_);
}

std::string OpEmitter::name_of(NameId id) const {
  if (id >= program_.ops().size()) return steps_[id - program_.ops().size()];
  return label(word_of(program_.op(id)), id);
}

std::string OpEmitter::label(std::string_view what, ValueId id) const {
  return std::string(what) + "_" + std::to_string(id);
}

void OpEmitter::define(ValueId id, Code code) {
  statements_.push_back({id, std::move(code), program_.op(id).note});
  reads_[id] = Code(Name{id});
}

void OpEmitter::emit(ValueId id) {
  const Op& op = program_.op(id);
  if (op.kind() == OpKind::Output || !chains_.is_stored(id)) return;
  if (const auto* weight = std::get_if<WeightOp>(&op.attributes)) {
    reads_[id] = Code(weights_[weight->parameter]);
  } else if (op.rows == 0) {
    define(id, Code(buffers_.one(), ".new_zeros(0", more_dimensions(op.shape), ")"));
  } else if (const auto* fact = std::get_if<FactOp>(&op.attributes)) {
    reads_[id] = emit_op(*fact, id);
  } else if (const auto* concat = std::get_if<ConcatOp>(&op.attributes)) {
    define(id, emit_op(*concat, id));
  } else if (const auto* gather = std::get_if<GatherOp>(&op.attributes)) {
    define(id, emit_op(*gather, id));
  } else if (const auto* linear = std::get_if<LinearOp>(&op.attributes)) {
    define(id, emit_op(*linear, id));
  } else if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
    define(id, emit_op(*segment, id));
  } else if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
    define(id, emit_op(*transform, id));
  } else if (const auto* map = std::get_if<MapOp>(&op.attributes)) {
    define(id, emit_op(*map, id));
  } else {
    fail_check("an op of a forward pass", __FILE__, __LINE__, std::string(text_of(op.kind())));
  }
}

}  // namespace vecc::python
