#include "src/plan/analysis/value_source.h"

#include <utility>

#include "src/program/index_algebra.h"

namespace vecc {
namespace {

// Whether each row has the entries of its operand's, in their order, in another shape.
bool is_view(const Program& program, ValueId id) {
  const auto* transform = std::get_if<TransformOp>(&program.op(id).attributes);
  if (transform == nullptr) return false;
  const Transformation function = transform->transformation.id;
  return function == Transformation::Reshape ||
         (function == Transformation::Transp && program.op(id).shape.is_vector());
}

// Whether what makes the rows may store them anywhere.
bool is_made_by_row(OpKind kind) {
  return kind == OpKind::Linear || kind == OpKind::Segment || kind == OpKind::Transform ||
         kind == OpKind::Map || kind == OpKind::Contract || kind == OpKind::Vjp;
}

}  // namespace

ValueSource through(const ValueSource& source, const Index& index, std::uint32_t rows) {
  Index composed = source.index ? compose(*source.index, index) : index;
  if (is_identity(composed, rows)) return {source.value, std::nullopt};
  return {source.value, std::move(composed)};
}

std::vector<Place> stored_places(const Program& program) {
  std::vector<Place> places = place_values(program);
  for (ValueId id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
    if (places[id].buffer == id || !is_view(program, id)) continue;
    const ValueId of = program.op(id).operands[0];
    if (places[of].buffer != of || !is_made_by_row(program.op(of).kind())) continue;
    places[of] = std::exchange(places[id], {id, 0});
  }
  return places;
}

void ValueSources::push_back(ValueSource source) {
  others_.push_back(kOwn);
  set(static_cast<ValueId>(others_.size() - 1), std::move(source));
}

void ValueSources::set(ValueId id, ValueSource source) {
  if (others_[id] != kOwn) {
    sources_[others_[id]] = std::move(source);
  } else if (source.value != id || source.index) {
    others_[id] = static_cast<std::uint32_t>(sources_.size());
    sources_.push_back(std::move(source));
  }
}

ValueSources value_sources(const Program& program, std::span<const Place> places) {
  ValueSources sources(program.ops().size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    if (op.kind() == OpKind::Update) {
      sources.push_back(sources[op.operands[1]]);
      continue;
    }
    if (is_view(program, id) && places[id].buffer == id) {
      sources.push_back(sources[op.operands[0]]);
      continue;
    }
    const auto* gather = std::get_if<GatherOp>(&op.attributes);
    if (gather == nullptr) {
      sources.push_back({id, std::nullopt});
      continue;
    }
    const ValueSource& of = sources[op.operands[0]];
    sources.push_back(through(of, gather->index, program.op(of.value).rows));
  }
  return sources;
}

ValueSource lifted_source(const ValueSource& source, const Lift& lift, std::uint32_t operand_rows) {
  switch (lift.kind) {
    case Lift::Kind::None: return source;
    case Lift::Kind::Repeat:
      if (lift.times == 1) return source;
      return through(source, Index::repeat(operand_rows, lift.times), operand_rows);
    case Lift::Kind::Interleave:
      if (lift.times == 1) return source;
      return through(source, Index::interleave(operand_rows, lift.times), operand_rows);
  }
  fail_check("a lift of a known kind", __FILE__, __LINE__,
             std::to_string(static_cast<int>(lift.kind)));
}

}  // namespace vecc
