#include <utility>

#include "src/program/op_rules.h"
#include "vecc/escape.h"
#include "vecc/program.h"

namespace vecc {
namespace {

std::string place_of(const Parameter& parameter) {
  return "parameter \"" + escape_terminal(parameter.name) + "\"";
}

bool values_fit(const Parameter& parameter, const SharedNumbers& values) {
  const std::uint64_t size = parameter.shape.size();
  return values.size() % size == 0 && values.size() / size == parameter.rows;
}

}  // namespace

Result<ParameterIndex> Program::add_parameter(Parameter parameter) {
  const auto error = [&](ErrorCode code, std::string message) {
    return Errors(code, place_of(parameter), std::move(message));
  };
  if (parameter_names_.contains(parameter.name)) {
    return error(ErrorCode::DuplicateName, "a second parameter of this name");
  }
  if (!is_canonical(parameter.shape)) {
    return error(ErrorCode::IllFormedOp, "a shape with a side of 0");
  }
  if (parameter.shape.size() > kMaxRowSize) {
    return error(ErrorCode::LimitShape, "rows of " + parameter.shape.text() + ", more than " +
                                            std::to_string(kMaxRowSize) + " elements");
  }
  if (parameter.values && !values_fit(parameter, parameter.values)) {
    return error(ErrorCode::IllFormedOp, "has " + count_text(parameter.values.size(), "value") +
                                             ", expected " + count_text(parameter.rows, "row") +
                                             " of " + parameter.shape.text());
  }
  parameter_names_.insert(parameter.name);
  parameters_.push_back(std::move(parameter));
  return static_cast<ParameterIndex>(parameters_.size() - 1);
}

void Program::set_parameter_values(ParameterIndex parameter, SharedNumbers values) {
  VECC_CHECK(parameter < parameters_.size(), "values for parameter " + std::to_string(parameter));
  VECC_CHECK(
      !values || values_fit(parameters_[parameter], values),
      place_of(parameters_[parameter]) + " gets " + std::to_string(values.size()) + " values");
  parameters_[parameter].values = std::move(values);
}

}  // namespace vecc
