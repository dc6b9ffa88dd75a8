// Transformations of rows.
#include <algorithm>

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

}  // namespace

Code OpEmitter::transform(const TransformationSpec& spec, std::span<const std::uint32_t> words,
                          Shape from, const Code& x) {
  const auto call = [&](const char* function) { return Code(function, "(", x, ")"); };
  const auto helper = [&](Helper used, const char* function) {
    helpers_.use(used);
    return call(function);
  };
  switch (spec.id) {
    case Transformation::Identity: return x;
    case Transformation::Sigmoid: return helper(Helper::Sigmoid, "sigmoid");
    case Transformation::Tanh: return call("torch.tanh");
    case Transformation::Signum: return Code("(", x, " > 0).to(", x, ".dtype)");
    case Transformation::Relu: return call("torch.relu");
    case Transformation::LeakyRelu:
      return Code("F.leaky_relu(", x, ", ", number_text(spec.slope), ")");
    case Transformation::Lukasiewicz: return Code("torch.sigmoid(6 * ", x, " + 0.5)");
    case Transformation::Exp: return helper(Helper::Exp, "Exp.apply");
    case Transformation::Log: return helper(Helper::Log, "Log.apply");
    case Transformation::Sqrt: return helper(Helper::Sqrt, "Sqrt.apply");
    case Transformation::Inverse: return helper(Helper::Inverse, "Inverse.apply");
    case Transformation::Reverse: return Code("1 - ", x);
    case Transformation::Gelu: return call("F.gelu");
    case Transformation::Abs: return call("torch.abs");
    case Transformation::Square: return call("torch.square");
    case Transformation::Transp: return from.is_matrix() ? Code(x, ".mT") : x;
    case Transformation::Norm: return helper(Helper::Norm, "norm");
    case Transformation::Softmax: return Code("torch.softmax(", x, ", 1)");
    case Transformation::Sparsemax: return helper(Helper::Sparsemax, "sparsemax");
    case Transformation::LogSoftmax: return Code("torch.log_softmax(", x, ", 1)");
    case Transformation::Slice: {
      const Shape to = result_of(spec, words, from);
      const Shape sliced(std::min(words[1], from.rows()) - words[0],
                         std::min(words[3], from.cols()) - words[2]);
      const bool keeps = !from.is_matrix() || sliced.is_matrix();
      return Code(x, slice_text(words, from), keeps && to == sliced ? "" : ".flatten(1)");
    }
    case Transformation::Reshape: return Code(x, reshape(from, spec.target));
    case Transformation::AtIndex: return Code(x, at_index_text(words[0], from));
    case Transformation::Broadcast: return Code(x, broadcast_text(from, spec.target));
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(spec.id).text));
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
