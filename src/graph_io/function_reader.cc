#include "src/graph_io/function_reader.h"

#include <bit>
#include <cmath>

#include "src/graph_io/wire_checks.h"
#include "vecc/escape.h"

namespace vecc::graph_io {
namespace {

std::string quoted(std::string_view text) {
  return "\"" + escape_terminal(text) + "\"";
}

// Names of graph.proto; a transformation that only Programs have is as unknown as a misspelt one.
bool read_names(const wire::Function& wire, const std::string& place, ImportState& state,
                NeuronFunction& function) {
  bool good = true;
  if (!wire.combination().empty()) {
    const auto combination = parse_combination(wire.combination());
    if (combination) {
      function.combination = *combination;
    } else {
      state.errors.add(ErrorCode::UnknownFunction, place,
                       "unknown combination " + quoted(wire.combination()));
      good = false;
    }
  }
  if (!wire.transformation().empty()) {
    const auto transformation = parse_transformation(wire.transformation());
    if (transformation && info(*transformation).origin != FunctionOrigin::Program) {
      function.transformation.id = *transformation;
    } else {
      state.errors.add(ErrorCode::UnknownFunction, place,
                       "unknown transformation " + quoted(wire.transformation()));
      good = false;
    }
  }
  return good;
}

// A parameter that the function does not have is refused: it would be lost silently.
bool refuse_parameter(ImportState& state, const std::string& place, bool present,
                      std::string_view parameter, std::string_view owner) {
  if (!present) return true;
  state.errors.add(
      ErrorCode::ParameterRange, place,
      std::string(parameter) + " is given, but only " + std::string(owner) + " has one");
  return false;
}

bool read_axis(const wire::Function& wire, const std::string& place, ImportState& state,
               NeuronFunction& function) {
  if (function.combination != Combination::Concat) {
    return refuse_parameter(state, place, wire.has_axis(), "axis", "concat");
  }
  if (wire.has_axis()) function.axis = wire.axis();
  if (function.axis == -1 || function.axis == 0) return true;
  state.errors.add(ErrorCode::ParameterRange, place,
                   "axis is " + std::to_string(function.axis) + ", expected -1 or 0");
  return false;
}

bool read_slope(const wire::Function& wire, const std::string& place, ImportState& state,
                NeuronFunction& function) {
  if (info(function.transformation.id).parameters != FunctionParameters::Slope) {
    return refuse_parameter(state, place, wire.has_slope(), "slope", "leakyrelu");
  }
  if (!wire.has_slope()) return true;
  function.transformation.slope = wire.slope();
  if (std::isfinite(wire.slope())) return true;
  state.errors.add(ErrorCode::ParameterRange, place, "slope is not finite, expected a number");
  return false;
}

bool read_target(const wire::Function& wire, const std::string& place, ImportState& state,
                 NeuronFunction& function) {
  if (info(function.transformation.id).parameters != FunctionParameters::Target) {
    return refuse_parameter(state, place, wire.has_target(), "target", "reshape");
  }
  if (!wire.has_target()) {
    state.errors.add(ErrorCode::ParameterRange, place, "reshape has no target shape");
    return false;
  }
  return read_shape(state, place + ", target", wire.target(), function.transformation.target);
}

bool read_expression(const wire::Function& wire, const std::string& place, ImportState& state,
                     NeuronFunction& function) {
  if (function.combination != Combination::FunctionGraph) {
    return refuse_parameter(state, place, !wire.expression().empty(), "expression",
                            "functiongraph");
  }
  if (wire.expression().empty()) {
    state.errors.add(ErrorCode::ParameterRange, place, "functiongraph has no expression");
    return false;
  }
  Result<Expr> expr = parse_expr(wire.expression(), place + ", expression");
  if (!expr) {
    state.errors.add(expr.error());
    return false;
  }
  if (const Result<void> checked = check_expr(*expr, place + ", expression"); !checked) {
    state.errors.add(checked.error());
    return false;
  }
  function.expr = std::make_shared<const Expr>(std::move(*expr));
  return true;
}

// Equal keys mean equal functions: every part written out without loss.
std::string key_of(const NeuronFunction& function) {
  const TransformationSpec& t = function.transformation;
  const auto number = [](auto value) { return std::to_string(value) + " "; };
  return number(static_cast<int>(function.combination)) + number(function.axis) +
         number(static_cast<int>(t.id)) + number(std::bit_cast<std::uint64_t>(t.slope)) +
         t.target.text() + " " + (function.expr ? function.expr->text() : "");
}

}  // namespace

std::optional<std::uint32_t> read_function(const wire::Function& wire, const std::string& place,
                                           ImportState& state) {
  NeuronFunction function;
  if (!read_names(wire, place, state, function)) return std::nullopt;
  bool good = read_axis(wire, place, state, function);
  good = read_slope(wire, place, state, function) && good;
  good = read_target(wire, place, state, function) && good;
  good = read_expression(wire, place, state, function) && good;
  if (!good) return std::nullopt;
  const auto next = static_cast<std::uint32_t>(state.graph.functions.size());
  const auto [entry, is_new] = state.function_of_key.try_emplace(key_of(function), next);
  if (is_new) state.graph.functions.push_back(std::move(function));
  return entry->second;
}

}  // namespace vecc::graph_io
