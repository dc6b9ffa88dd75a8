// Shape rules of transformations.
#include "src/function/parameter_text.h"
#include "vecc/function.h"

namespace vecc {
namespace {

Errors range_error(std::string_view place, std::string message) {
  return Errors(ErrorCode::ParameterRange, std::string(place), std::move(message));
}

Result<Shape> sliced_shape(std::span<const std::uint32_t> words, Shape input,
                           std::string_view place) {
  const std::uint32_t row_end = words[1] == kToEnd ? input.rows() : words[1];
  const std::uint32_t col_end = words[3] == kToEnd ? input.cols() : words[3];
  const bool fits = words[0] < row_end && row_end <= input.rows() && words[2] < col_end &&
                    col_end <= input.cols();
  if (!fits) {
    return range_error(
        place, "slice [" +
                   words_text(Transformation::Slice, {words[0], words[1], words[2], words[3]}) +
                   "] does not fit " + input.text());
  }
  return Shape(row_end - words[0], col_end - words[2]);
}

Result<Shape> target_shape(const TransformationSpec& spec, Shape input, std::string_view place) {
  const std::string problem = spec_problem(spec);
  if (!problem.empty()) return range_error(place, problem);
  if (spec.id == Transformation::Reshape && spec.target.size() != input.size()) {
    return range_error(place, "reshape of " + input.text() + " to " + spec.target.text() + ": " +
                                  std::to_string(input.size()) + " elements, expected " +
                                  std::to_string(spec.target.size()));
  }
  if (spec.id == Transformation::Broadcast && !input.is_scalar() && input != spec.target) {
    return range_error(place, "broadcast of " + input.text() + " to " + spec.target.text() +
                                  ": expected a scalar");
  }
  return spec.target;
}

}  // namespace

Result<Shape> transformed_shape(const TransformationSpec& spec,
                                std::span<const std::uint32_t> words, Shape input,
                                std::string_view place) {
  const TransformationInfo& about = info(spec.id);
  const std::string name(about.text);
  VECC_CHECK(words.size() == word_count(spec.id), name + ": wrong number of words");
  if (about.domain == FunctionDomain::Tensor && input.is_scalar()) {
    return Errors(ErrorCode::FunctionDomain, std::string(place),
                  name + " of a scalar, expected a vector or a matrix");
  }
  if (about.parameters == FunctionParameters::Slope) {
    std::string problem = spec_problem(spec);
    if (!problem.empty()) return range_error(place, std::move(problem));
  }
  switch (about.form) {
    case FunctionForm::Same:
    case FunctionForm::Entries:
    case FunctionForm::Row: return input;
    case FunctionForm::Transposed: return input.transposed();
    case FunctionForm::Column:
      if (input.is_matrix()) {
        return Errors(ErrorCode::FunctionDomain, std::string(place),
                      name + " of a matrix " + input.text() + ", expected a vector");
      }
      return Shape::column(static_cast<std::uint32_t>(input.size()));
    case FunctionForm::Part: return sliced_shape(words, input, place);
    case FunctionForm::Shape:
    case FunctionForm::Broadcast: return target_shape(spec, input, place);
    case FunctionForm::Entry:
      if (words[0] >= input.size()) {
        return range_error(place, "atindex " + std::to_string(words[0]) + " of " + input.text() +
                                      ", expected below " + std::to_string(input.size()));
      }
      return Shape::scalar();
  }
  fail_check("known form", __FILE__, __LINE__, name);
}

}  // namespace vecc
