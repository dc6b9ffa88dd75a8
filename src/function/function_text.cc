// Texts of neuron functions.
#include "src/function/parameter_text.h"
#include "vecc/escape.h"
#include "vecc/function.h"

namespace vecc {

bool NeuronFunction::operator==(const NeuronFunction& other) const {
  if (combination != other.combination || axis != other.axis) return false;
  if (!(transformation == other.transformation)) return false;
  if (expr == other.expr) return true;
  return expr && other.expr && *expr == *other.expr;
}

std::string NeuronFunction::text() const {
  std::string result(info(combination).text);
  if (combination == Combination::Concat && axis != -1) {
    result += "(axis=" + std::to_string(axis) + ")";
  }
  if (expr) result += "(" + expr->text() + ")";
  if (transformation.id != Transformation::Identity) result += " " + text_of(transformation);
  return result;
}

std::string text_of(const TransformationSpec& spec) {
  const std::string parameters = parameters_text(spec);
  return std::string(info(spec.id).text) + (parameters.empty() ? "" : "(" + parameters + ")");
}

Result<TransformationSpec> parse_transformation_spec(std::string_view text,
                                                     std::string_view place) {
  text = trim(text);
  const std::size_t open = text.find('(');
  const std::string_view name = trim(text.substr(0, open));
  const auto id = parse_transformation(name);
  if (!id) {
    return Errors(ErrorCode::UnknownFunction, std::string(place),
                  "unknown transformation \"" + escape_terminal(name, 40) + "\"");
  }
  TransformationSpec spec;
  spec.id = *id;
  std::string_view parameters;
  if (open != std::string_view::npos) {
    if (text.back() != ')') {
      return Errors(
          ErrorCode::ParameterRange, std::string(place),
          std::string(name) + " expects \")\" at the end of \"" + escape_terminal(text, 40) + "\"");
    }
    parameters = text.substr(open + 1, text.size() - open - 2);
  }
  const std::string problem = parse_parameters(parameters, spec);
  if (!problem.empty()) {
    return Errors(ErrorCode::ParameterRange, std::string(place),
                  problem + ", found \"" + escape_terminal(parameters, 40) + "\"");
  }
  return spec;
}

}  // namespace vecc
