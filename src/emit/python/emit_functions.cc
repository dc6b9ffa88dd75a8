// Transformations of rows.
#include <algorithm>
#include <optional>
#include <string_view>

#include "src/emit/python/op_emitter.h"
#include "src/function/parameter_text.h"

namespace vecc::python {
namespace {

// `.reshape(-1, 2, 3)`, unless the dimensions are the same.
std::string reshape(Shape from, Shape to) {
  if (dimensions(from) == dimensions(to)) return "";
  if (to.is_scalar()) return ".flatten()";
  return ".reshape(-1" + more_dimensions(to) + ")";
}

std::string slice_range(std::uint32_t begin, std::uint32_t end, std::uint32_t side) {
  end = std::min(end, side);
  if (begin == 0 && end == side) return ":";
  return (begin == 0 ? "" : std::to_string(begin)) + ":" + (end == side ? "" : std::to_string(end));
}

Shape result_of(const TransformationSpec& spec, std::span<const std::uint32_t> words, Shape from) {
  const auto shape = transformed_shape(spec, words, from, "");
  VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
  return *shape;
}

std::string slice_text(std::span<const std::uint32_t> words, Shape from) {
  const std::string rows = slice_range(words[0], words[1], from.rows());
  const std::string cols = slice_range(words[2], words[3], from.cols());
  if (from.is_matrix()) return "[:, " + rows + ", " + cols + "]";
  return "[:, " + (from.rows() > 1 ? rows : cols) + "]";
}

std::string at_index_text(std::uint32_t index, Shape from) {
  if (from.is_scalar()) return "";
  if (from.is_vector()) return "[:, " + std::to_string(index) + "]";
  return "[:, " + std::to_string(index / from.cols()) + ", " + std::to_string(index % from.cols()) +
         "]";
}

std::string broadcast_text(Shape from, Shape to) {
  if (!from.is_scalar()) return reshape(from, to);
  if (to.is_scalar()) return "";
  std::string text = spread(from, to) + ".expand(-1";
  return text + more_dimensions(to) + ")";
}

// A function in Python, as functions.def has it.
struct TorchText {
  std::string_view text;  // $ is the argument, @ the slope
  std::optional<Helper> helper;
};
const TorchText& torch_text(Transformation transformation) {
  using enum Helper;
  constexpr std::nullopt_t None = std::nullopt;
  static constexpr TorchText kTexts[] = {
#define VECC_TRANSFORMATION(enumerator, text, parameters, domain, origin, form, derivative, cost, \
                            doubt, fingerprint, torch, helper)                                    \
  {torch, helper},
#include "vecc/functions.def"
  };
  return kTexts[static_cast<std::size_t>(transformation)];
}

Code filled(std::string_view text, const TransformationSpec& spec, const Code& x) {
  Code code;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find_first_of("$@"), text.size());
    if (mark > 0) code.add(std::string(text.substr(0, mark)));
    if (mark < text.size() && text[mark] == '$') code.add(x);
    if (mark < text.size() && text[mark] == '@') code.add(number_text(spec.slope));
    text.remove_prefix(std::min(mark + 1, text.size()));
  }
  return code;
}

}  // namespace

Code OpEmitter::transform(const TransformationSpec& spec, std::span<const std::uint32_t> words,
                          Shape from, const Code& x) {
  const TorchText& torch = torch_text(spec.id);
  if (torch.helper) helpers_.use(*torch.helper);
  switch (info(spec.id).form) {
    case FunctionForm::Same:
    case FunctionForm::Entries:
    case FunctionForm::Row:
    case FunctionForm::Column: return filled(torch.text, spec, x);
    case FunctionForm::Transposed: return from.is_matrix() ? Code(x, ".mT") : x;
    case FunctionForm::Part: {
      const Shape to = result_of(spec, words, from);
      const Shape sliced(std::min(words[1], from.rows()) - words[0],
                         std::min(words[3], from.cols()) - words[2]);
      const bool keeps = !from.is_matrix() || sliced.is_matrix();
      return Code(x, slice_text(words, from), keeps && to == sliced ? "" : ".flatten(1)");
    }
    case FunctionForm::Shape: return Code(x, reshape(from, spec.target));
    case FunctionForm::Entry: return Code(x, at_index_text(words[0], from));
    case FunctionForm::Broadcast: return Code(x, broadcast_text(from, spec.target));
  }
  fail_check("known form", __FILE__, __LINE__, std::string(info(spec.id).text));
}

// Slices and entries of other places in every row.
Code OpEmitter::transform_by_row(const TransformOp& op, ValueId id) {
  const Op& made = program_.op(id);
  const Op& from = program_.op(made.operands[0]);
  const std::uint32_t width = word_count(op.transformation.id);
  const std::uint32_t cols = from.shape.cols();
  std::vector<std::uint32_t> entries;
  for (std::size_t at = 0; at < op.words->size(); at += width) {
    const auto words = std::span(*op.words).subspan(at, width);
    if (op.transformation.id == Transformation::AtIndex) {
      entries.push_back(words[0]);
      continue;
    }
    for (std::uint32_t r = 0; r < made.shape.rows(); ++r) {
      for (std::uint32_t c = 0; c < made.shape.cols(); ++c) {
        entries.push_back((words[0] + r) * cols + words[2] + c);
      }
    }
  }
  const Buffer places =
      buffers_.add_rows(label("entries", id), entries, {made.rows, made.shape.size()});
  const Code flat(reads_[made.operands[0]], from.shape.is_matrix() ? ".flatten(1)" : "");
  const Shape column = Shape::column(static_cast<std::uint32_t>(made.shape.size()));
  return Code(flat, ".gather(1, ", places, ")", reshape(column, made.shape));
}

Code OpEmitter::emit_op(const TransformOp& op, ValueId id) {
  const ValueId from = program_.op(id).operands[0];
  const std::uint32_t width = word_count(op.transformation.id);
  const Shape shape = program_.op(from).shape;
  const auto words =
      op.words ? std::span<const std::uint32_t>(*op.words) : std::span<const std::uint32_t>();
  if (words.size() > width && !shape.is_scalar()) return transform_by_row(op, id);
  return transform(op.transformation, words, shape, reads_[from]);
}

}  // namespace vecc::python
