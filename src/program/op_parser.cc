#include "src/program/op_parser.h"

#include <memory>
#include <utility>

#include "vecc/escape.h"

namespace vecc {
namespace {

// The ops whose rows and shape stand in the text only.
void take_type(OpAttributes& attributes, std::uint32_t rows, Shape shape) {
  if (auto* fact = std::get_if<FactOp>(&attributes)) {
    fact->rows = rows;
    fact->shape = shape;
  } else if (auto* contract = std::get_if<ContractOp>(&attributes)) {
    contract->type_count = rows;
    contract->weight_shape = shape;
  } else if (auto* vjp = std::get_if<VjpOp>(&attributes)) {
    vjp->shape = shape;
  } else if (auto* draw = std::get_if<DrawOp>(&attributes)) {
    draw->rows = rows;
  } else if (auto* sum = std::get_if<ScatterSumOp>(&attributes)) {
    sum->rows = rows;
  } else if (auto* state = std::get_if<StateOp>(&attributes)) {
    state->rows = rows;
    state->shape = shape;
  }
}

std::string type_text(const Op& op) {
  return std::string(text_of(op.dtype)) + "[" + std::to_string(op.rows) + ", " + op.shape.text() +
         "]";
}

}  // namespace

Result<void> OpParser::parse_line() {
  const std::size_t begin = cursor_.position();
  const std::string name = "%" + std::to_string(program_.ops().size());
  if (cursor_.take_until(" \t\r=:,[{#") != name) {
    return cursor_.error_at(begin, "\"" + name + "\"");
  }
  VECC_TRY_VOID(cursor_.expect("="));
  VECC_TRY(const OpKind kind, parse_kind());
  operands_ = {};
  VECC_TRY(OpAttributes attributes, parse_body(kind));
  VECC_TRY(const StatedType type, parse_type());
  VECC_TRY(Note note, parse_note());
  take_type(attributes, type.rows, type.shape);
  auto added = program_.add(std::move(attributes), operands_, std::move(note));
  if (!added) return added.error().in(cursor_.place_at(begin));
  const Op& op = program_.op(*added);
  if (op.rows == type.rows && op.shape == type.shape) return {};
  return Errors(ErrorCode::IllFormedOp, cursor_.place_at(type.begin),
                "found " + std::string(text_of(op.dtype)) + "[" + std::to_string(type.rows) + ", " +
                    type.shape.text() + "], expected " + type_text(op));
}

Result<OpKind> OpParser::parse_kind() {
  const std::size_t begin = cursor_.position();
  const std::string_view word = cursor_.take_word();
  for (std::size_t i = 0; i < std::variant_size_v<OpAttributes>; ++i) {
    if (text_of(static_cast<OpKind>(i)) == word) return static_cast<OpKind>(i);
  }
  return cursor_.error_at(begin, "an op");
}

Result<void> OpParser::parse_value() {
  const std::size_t begin = cursor_.position();
  if (!cursor_.accept("%")) return cursor_.error("a value such as %3");
  VECC_TRY(const std::uint32_t value, cursor_.read_u32("a value's number"));
  if (value >= program_.ops().size()) {
    return Errors(ErrorCode::ProgramSyntax, cursor_.place_at(begin),
                  "found \"%" + std::to_string(value) + "\", expected a value before %" +
                      std::to_string(program_.ops().size()));
  }
  operands_.push_back(value);
  return {};
}

Result<void> OpParser::parse_values(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) VECC_TRY_VOID(cursor_.expect(","));
    VECC_TRY_VOID(parse_value());
  }
  return {};
}

Result<void> OpParser::parse_all_values() {
  do {
    VECC_TRY_VOID(parse_value());
  } while (cursor_.accept(","));
  return {};
}

Result<OpParser::StatedType> OpParser::parse_type() {
  VECC_TRY_VOID(cursor_.expect(":"));
  StatedType type;
  type.begin = cursor_.position();
  const std::string_view dtype = text_of(program_.dtype());
  if (cursor_.take_word() != dtype) {
    return cursor_.error_at(type.begin, "\"" + std::string(dtype) + "\"");
  }
  VECC_TRY_VOID(cursor_.expect("["));
  VECC_TRY(type.rows, cursor_.read_u32("a number of rows"));
  VECC_TRY_VOID(cursor_.expect(","));
  VECC_TRY(type.shape, cursor_.read_shape());
  VECC_TRY_VOID(cursor_.expect("]"));
  return type;
}

// Ops of one group share their note.
Result<Note> OpParser::parse_note() {
  Note note;
  if (cursor_.accept("#")) {
    std::string_view raw = cursor_.take_line();
    if (raw.starts_with(' ')) raw.remove_prefix(1);
    if (raw.ends_with('\r')) raw.remove_suffix(1);  // of the line's end, not of the note
    const auto [entry, is_new] = notes_.try_emplace(unescape_program(raw));
    if (is_new) entry->second = entry->first;
    note = entry->second;
  }
  VECC_TRY_VOID(cursor_.expect_line_end());
  return note;
}

OpParser::Body OpParser::parse_body(OpKind kind) {
  switch (kind) {
    case OpKind::Fact: return parse_fact();
    case OpKind::Weight: return parse_weight();
    case OpKind::Concat: {
      VECC_TRY_VOID(parse_all_values());
      return ConcatOp{};
    }
    case OpKind::Gather: {
      VECC_TRY_VOID(parse_value());
      VECC_TRY(Index index, arrays_.index());
      return GatherOp{std::move(index)};
    }
    case OpKind::Linear: return parse_linear();
    case OpKind::Segment: VECC_TRY_VOID(parse_value()); return parse_segment();
    case OpKind::Transform: VECC_TRY_VOID(parse_value()); return parse_transform();
    case OpKind::Map: return parse_map();
    case OpKind::Contract: return parse_contract();
    case OpKind::Vjp: return parse_vjp();
    case OpKind::Draw: return parse_draw();
    case OpKind::Take: {
      VECC_TRY_VOID(parse_values(2));
      return TakeOp{};
    }
    case OpKind::SumEqual: {
      VECC_TRY_VOID(parse_values(2));
      return SumEqualOp{};
    }
    case OpKind::ScatterSum: {
      VECC_TRY_VOID(parse_values(2));
      return ScatterSumOp{};
    }
    case OpKind::State: return parse_state();
    case OpKind::Update: return parse_update();
    case OpKind::Output: {
      VECC_TRY_VOID(parse_value());
      VECC_TRY(Index samples, arrays_.index());
      return OutputOp{std::move(samples)};
    }
  }
  fail_check("known op", __FILE__, __LINE__, std::to_string(static_cast<int>(kind)));
}

OpParser::Body OpParser::parse_fact() {
  FactOp op;
  op.unit = cursor_.accept("unit");
  if (op.unit) return op;
  VECC_TRY(op.values, arrays_.numbers());
  return op;
}

OpParser::Body OpParser::parse_weight() {
  const std::size_t begin = cursor_.position();
  VECC_TRY(const std::string name, cursor_.read_string("a parameter's name"));
  const auto entry = names_.find(name);
  if (entry != names_.end()) return WeightOp{entry->second};
  return Errors(ErrorCode::ProgramSyntax, cursor_.place_at(begin),
                "found \"" + escape_terminal(name) + "\", expected the name of a parameter above");
}

Result<void> OpParser::parse_side(bool& transpose, Lift& lift) {
  transpose = cursor_.accept("transpose");
  VECC_TRY_VOID(parse_value());
  if (!cursor_.accept("lift")) return {};
  VECC_TRY_VOID(cursor_.expect("("));
  const std::size_t begin = cursor_.position();
  const std::string_view kind = cursor_.take_word();
  if (kind != "repeat" && kind != "interleave") {
    return cursor_.error_at(begin, "\"repeat\" or \"interleave\"");
  }
  lift.kind = kind == "repeat" ? Lift::Kind::Repeat : Lift::Kind::Interleave;
  VECC_TRY(lift.times, cursor_.read_u32("a number of times"));
  return cursor_.expect(")");
}

OpParser::Body OpParser::parse_linear() {
  LinearOp op;
  VECC_TRY_VOID(parse_side(op.transpose_left, op.lift_left));
  VECC_TRY_VOID(cursor_.expect(","));
  VECC_TRY_VOID(parse_side(op.transpose_right, op.lift_right));
  return op;
}

OpParser::Body OpParser::parse_segment() {
  VECC_TRY(Segments segments, arrays_.segments());
  const std::size_t begin = cursor_.position();
  const auto combination = parse_segment_combination(cursor_.take_word());
  if (!combination) return cursor_.error_at(begin, "a combination");
  return SegmentOp{std::move(segments), *combination};
}

OpParser::Body OpParser::parse_transform() {
  const std::size_t begin = cursor_.position();
  std::string text(cursor_.take_word());
  if (cursor_.accept("(")) {
    text += "(" + std::string(cursor_.take_until(")#")) + ")";
    VECC_TRY_VOID(cursor_.expect(")"));
  }
  auto transformation = parse_transformation_spec(text, {});
  if (!transformation) return transformation.error().in(cursor_.place_at(begin));
  TransformOp op{*transformation, nullptr};
  if (arrays_.is_next()) {
    VECC_TRY(op.words, arrays_.words());
  }
  return op;
}

OpParser::Body OpParser::parse_map() {
  const std::size_t begin = cursor_.position();
  // A tree's text has no `%`; the operands begin with one.
  auto expr = parse_expr(cursor_.take_until("%#"), {});
  if (!expr) return expr.error().in(cursor_.place_at(begin));
  VECC_TRY_VOID(parse_all_values());
  return MapOp{std::make_shared<const Expr>(std::move(*expr))};
}

OpParser::Body OpParser::parse_contract() {
  VECC_TRY_VOID(parse_values(2));
  ContractOp op;
  VECC_TRY(op.types, arrays_.index());
  return op;
}

OpParser::Body OpParser::parse_vjp() {
  VjpOp op;
  VECC_TRY_VOID(cursor_.expect("$"));
  VECC_TRY(op.wrt, cursor_.read_u32("an operand's number"));
  VECC_TRY_VOID(cursor_.expect("of"));
  const std::size_t begin = cursor_.position();
  const std::string_view kind = cursor_.take_word();
  if (kind == text_of(OpKind::Map)) {
    VECC_TRY(OpAttributes of, parse_map());
    op.of = std::get<MapOp>(std::move(of));
  } else if (kind == text_of(OpKind::Segment)) {
    VECC_TRY_VOID(parse_all_values());
    VECC_TRY(OpAttributes of, parse_segment());
    op.of = std::get<SegmentOp>(std::move(of));
  } else if (kind == text_of(OpKind::Transform)) {
    VECC_TRY_VOID(parse_all_values());
    VECC_TRY(OpAttributes of, parse_transform());
    op.of = std::get<TransformOp>(std::move(of));
  } else {
    return cursor_.error_at(begin, "\"segment\", \"transform\" or \"map\"");
  }
  return op;
}

OpParser::Body OpParser::parse_draw() {
  DrawOp op;
  VECC_TRY_VOID(parse_value());
  VECC_TRY_VOID(cursor_.expect("<"));
  VECC_TRY(op.bound, cursor_.read_u32("a bound of draws"));
  VECC_TRY_VOID(cursor_.expect("seed"));
  VECC_TRY(op.seed, cursor_.read_u64("a seed"));
  VECC_TRY_VOID(cursor_.expect("stream"));
  VECC_TRY(op.stream, cursor_.read_u32("a stream's number"));
  return op;
}

OpParser::Body OpParser::parse_state() {
  StateOp op;
  VECC_TRY(op.name, cursor_.read_string("a state's name"));
  VECC_TRY_VOID(cursor_.expect("="));
  VECC_TRY(op.initial, cursor_.read_double());
  return op;
}

OpParser::Body OpParser::parse_update() {
  VECC_TRY_VOID(parse_values(2));
  UpdateOp op;
  if (arrays_.is_next()) {
    VECC_TRY(op.rows, arrays_.index());
  } else if (cursor_.accept(",")) {
    VECC_TRY_VOID(parse_value());
  }
  return op;
}

}  // namespace vecc
