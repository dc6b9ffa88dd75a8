#include "src/plan/analysis/value_source.h"

#include <utility>

#include "src/plan/analysis/gradient_reads.h"
#include "src/program/index_algebra.h"

namespace vecc {
namespace {

// The operand whose rows have the same entries in the same order, maybe in another shape: of what
// is reshaped, and of a gradient that is passed on. None if there is no such operand.
std::optional<ValueId> viewed_operand(const Program& program, ValueId id) {
  const Op& op = program.op(id);
  if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
    const Transformation function = transform->transformation.id;
    const bool is_view = function == Transformation::Reshape ||
                         (function == Transformation::Transp && op.shape.is_vector());
    return is_view ? std::optional(op.operands[0]) : std::nullopt;
  }
  const bool is_passed =
      passes_gradient_on(program, id) && program.op(op.operands.back()).rows == op.rows;
  return is_passed ? std::optional(op.operands.back()) : std::nullopt;
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
    const auto viewed = places[id].buffer == id ? std::nullopt : viewed_operand(program, id);
    if (!viewed) continue;
    const ValueId of = *viewed;
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
    const auto viewed = places[id].buffer == id ? viewed_operand(program, id) : std::nullopt;
    if (viewed) {
      sources.push_back(sources[*viewed]);
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
