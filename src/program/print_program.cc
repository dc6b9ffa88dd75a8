#include "src/program/print_program.h"

#include <optional>

#include "src/program/array_bytes.h"
#include "src/support/checksum.h"
#include "vecc/escape.h"
#include "vecc/program_text.h"

namespace vecc {
namespace {

std::string quoted_text(std::string_view name) {
  return "\"" + escape_program(name) + "\"";
}

std::string size_text(std::uint32_t rows, Shape shape) {
  return "[" + std::to_string(rows) + ", " + shape.text() + "]";
}

std::string lift_text(const Lift& lift) {
  switch (lift.kind) {
    case Lift::Kind::None: return "";
    case Lift::Kind::Repeat: return " lift(repeat " + std::to_string(lift.times) + ")";
    case Lift::Kind::Interleave: return " lift(interleave " + std::to_string(lift.times) + ")";
  }
  fail_check("known lift", __FILE__, __LINE__, std::to_string(static_cast<int>(lift.kind)));
}

// What stands between `%7 = ` and ` : f32[12, 3x1]`.
class BodyPrinter {
 public:
  BodyPrinter(const Program& program, const Op& op, const ArrayPrinter& arrays)
      : program_(program), op_(op), arrays_(arrays) {}

  std::string operator()(const FactOp& op) const {
    return op.unit ? "unit" : arrays_.numbers(op.values);
  }
  std::string operator()(const WeightOp& op) const {
    return quoted_text(program_.parameters()[op.parameter].name);
  }
  std::string operator()(const ConcatOp&) const { return operands(); }
  std::string operator()(const GatherOp& op) const {
    return operands() + " " + arrays_.index(op.index);
  }
  std::string operator()(const LinearOp& op) const {
    return (op.transpose_left ? "transpose " : "") + value(0) + lift_text(op.lift_left) + ", " +
           (op.transpose_right ? "transpose " : "") + value(1) + lift_text(op.lift_right);
  }
  std::string operator()(const SegmentOp& op) const {
    return operands() + " " + arrays_.segments(op.segments) + " " +
           std::string(info(op.combination).text);
  }
  std::string operator()(const TransformOp& op) const {
    return operands() + " " + text_of(op.transformation) +
           (op.words && !op.words->empty() ? " " + arrays_.words(*op.words) : "");
  }
  std::string operator()(const MapOp& op) const { return op.expr->text() + " " + operands(); }
  std::string operator()(const ContractOp& op) const {
    return operands() + " " + arrays_.index(op.types);
  }
  // The inner op's body, over what the derivative reads.
  std::string operator()(const VjpOp& op) const {
    const auto kind = std::visit(
        [](const auto& inner) { return static_cast<OpKind>(OpAttributes(inner).index()); }, op.of);
    return "$" + std::to_string(op.wrt) + " of " + std::string(text_of(kind)) + " " +
           std::visit(*this, op.of);
  }
  std::string operator()(const DrawOp& op) const {
    return operands() + " < " + std::to_string(op.bound) + " seed " + std::to_string(op.seed) +
           " stream " + std::to_string(op.stream);
  }
  std::string operator()(const TakeOp&) const { return operands(); }
  std::string operator()(const SumEqualOp&) const { return operands(); }
  std::string operator()(const ScatterSumOp&) const { return operands(); }
  std::string operator()(const StateOp& op) const {
    return quoted_text(op.name) + " = " + double_text(op.initial);
  }
  std::string operator()(const UpdateOp& op) const {
    return operands() + (op.rows ? " " + arrays_.index(*op.rows) : "");
  }
  std::string operator()(const OutputOp& op) const {
    return operands() + " " + arrays_.index(op.samples);
  }

 private:
  [[nodiscard]] std::string value(std::size_t k) const {
    return "%" + std::to_string(op_.operands[k]);
  }
  [[nodiscard]] std::string operands() const {
    std::string result;
    for (std::size_t k = 0; k < op_.operands.size(); ++k) {
      if (k > 0) result += ", ";
      result += value(k);
    }
    return result;
  }

  const Program& program_;
  const Op& op_;
  const ArrayPrinter& arrays_;
};

std::string line_of(const Program& program, ValueId value, const ArrayPrinter& arrays) {
  const std::string& note = program.op(value).note;
  return op_text(program, value, arrays) + (note.empty() ? "" : "  # " + escape_comment(note));
}

std::string parameter_text(const Parameter& parameter, const PrintOptions& options,
                           const ArrayPrinter& arrays) {
  std::string text =
      "parameter " + quoted_text(parameter.name) + " " + size_text(parameter.rows, parameter.shape);
  if (options.parameter_values && parameter.values) {
    text += " = " + arrays.numbers(parameter.values);
  }
  return text;
}

constexpr std::string_view kHeader = "vecc program 1 ";

// The first line, without its end.
std::string header_of(const Program& program) {
  return std::string(kHeader) + std::string(text_of(program.dtype())) + " samples " +
         std::to_string(program.sample_count());
}

std::string body_of(const Program& program, const ArrayPrinter& arrays,
                    const PrintOptions& options) {
  std::string body;
  for (const Parameter& parameter : program.parameters()) {
    body += parameter_text(parameter, options, arrays) + "\n";
  }
  for (ValueId value = 0; value < program.ops().size(); ++value) {
    body += line_of(program, value, arrays) + "\n";
  }
  return body;
}

// The bytes of a side file.
class SideText final : public ArraySink {
 public:
  explicit SideText(std::string& bytes) : bytes_(bytes) {}
  std::string add(std::span<const std::uint32_t> words) override { return append(words); }
  std::string add(const SharedNumbers& numbers) override { return append(numbers); }

 private:
  template <class Values>
  std::string append(const Values& values) {
    // Aligned, so that a reader may map the file.
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    const std::size_t begin = bytes_.size();
    for (std::size_t i = 0; i < values.size(); ++i) append_bytes(bytes_, values[i]);
    return "@" + std::to_string(begin) + ":" + std::to_string(values.size());
  }

  std::string& bytes_;
};

}  // namespace

std::string op_text(const Program& program, ValueId value, const ArrayPrinter& arrays) {
  const Op& op = program.op(value);
  return "%" + std::to_string(value) + " = " + std::string(text_of(op.kind())) + " " +
         std::visit(BodyPrinter(program, op, arrays), op.attributes) + " : " +
         std::string(text_of(op.dtype)) + size_text(op.rows, op.shape);
}

std::string print_op(const Program& program, ValueId value, const PrintOptions& options) {
  VECC_CHECK(value < program.ops().size(), "print_op of %" + std::to_string(value));
  VECC_CHECK(options.long_arrays != LongArrays::SideFile, "print_op has no side file");
  return line_of(program, value, ArrayPrinter(options, nullptr));
}

std::string print_to(const Program& program, const PrintOptions& options, ArraySink& sink) {
  return header_of(program) + "\n" + body_of(program, ArrayPrinter(options, &sink), options);
}

std::string print(const Program& program, const PrintOptions& options, std::string* side) {
  std::optional<SideText> sink;
  if (side != nullptr) sink.emplace(*side);
  const std::string body =
      body_of(program, ArrayPrinter(options, sink ? &*sink : nullptr), options);
  std::string text = header_of(program);
  std::size_t digits = 0;
  if (options.checksum) {
    constexpr std::string_view kWord = "crc32 ";
    text.insert(kHeader.size(), std::string(kWord) + std::string(kNoChecksum) + " ");
    digits = kHeader.size() + kWord.size();
  }
  if (options.long_arrays == LongArrays::SideFile && !side->empty()) {
    // Ties the side file to this text: with another one of the same length it would load, wrongly.
    text += " arrays " + std::to_string(side->size()) + " digest " +
            digest_text(digest_bytes(*side), 16);
  }
  text += "\n";
  text += body;
  if (options.checksum) state_checksum(text, digits);
  return text;
}

}  // namespace vecc
