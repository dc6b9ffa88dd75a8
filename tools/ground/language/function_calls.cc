#include "tools/ground/language/function_calls.h"

#include <algorithm>
#include <utility>

#include "tools/common/suggest.h"
#include "tools/ground/language/check_list.h"
#include "tools/ground/language/functions.h"

namespace vecc::tools::language {
namespace {

Errors unknown(const FunctionCall& call, std::span<const std::string> names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return Errors(ErrorCode::UnknownFunction, "",
                found_expected(call.text, all) + did_you_mean(call.text, names));
}

Errors bad_arguments(const FunctionCall& call, std::string_view expected) {
  return Errors(ErrorCode::ParameterRange, "", found_expected(call.whole(), expected));
}

bool is_formula(const FunctionCall& call) {
  return call.arguments.find('$') != std::string::npos;
}

// Between the parentheses; false where there are none, or others in them.
bool unwrap(const FunctionCall& call, std::string& inside) {
  inside = call.arguments;
  if (inside.empty()) return true;
  if (inside.size() < 2 || inside.front() != '(' || inside.back() != ')') return false;
  inside = inside.substr(1, inside.size() - 2);
  return inside.find_first_of("()[]$") == std::string::npos;
}

// What vecc's text of the function has between its brackets.
std::string parameters_of(Transformation id, const std::string& inside) {
  const bool is_rows_alone =
      id == Transformation::Slice && !inside.empty() && inside.find(',') == std::string::npos;
  return is_rows_alone ? inside + ", 0:" : inside;
}

Errors without_column(const Errors& errors) {
  const Diagnostic& first = errors.list().front();
  return Errors(first.code, "", first.message);
}

// Of concat alone; of others an error where something is said.
Result<int> axis_of(const FunctionCall& call, Combination id) {
  std::string inside;
  const bool is_plain = unwrap(call, inside);
  if (id != Combination::Concat) {
    if (call.arguments.empty()) return -1;
    return bad_arguments(call, "\"" + call.text + "\", which has no parameters");
  }
  if (is_plain && (inside.empty() || inside == "axis=-1")) return -1;
  if (is_plain && inside == "axis=0") return 0;
  return bad_arguments(call, "concat, concat(axis=0) or concat(axis=-1)");
}

Result<std::vector<std::string>> variables_of(const FunctionCall& call) {
  std::vector<std::string> out;
  std::string inside;
  bool is_list = unwrap(call, inside);
  for (std::size_t begin = 0; is_list && begin < inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    std::string name = inside.substr(begin, end - begin);
    is_list = !name.empty() && ((name[0] >= 'A' && name[0] <= 'Z') || name[0] == '_') &&
              std::ranges::find(out, name) == out.end();
    out.push_back(std::move(name));
    begin = end + 1;
  }
  if (is_list && out.empty() == call.arguments.empty()) return out;
  return bad_arguments(call, "softmax, or softmax(X, Y) over variables of the head, each once");
}

}  // namespace

Result<CalledTransformation> call_transformation(const FunctionCall& call) {
  const auto id = transformation_of(call.text);
  if (!id) return unknown(call, transformation_names());
  CalledTransformation out;
  out.spec.id = *id;
  if (call.arguments.empty() && info(*id).parameters == FunctionParameters::None) return out;
  std::string inside;
  if (!unwrap(call, inside)) return bad_arguments(call, "parameters such as (0.2), (1:3), (2x3)");
  const std::string name(info(*id).text);
  const Result<Expr> expr = parse_expr(name + "[" + parameters_of(*id, inside) + "]($0)", "");
  if (!expr) return without_column(expr.error());
  out.spec = expr->nodes.back().transformation;
  out.words = expr->nodes.back().words;
  return out;
}

Result<CalledCombination> call_combination(const FunctionCall& call) {
  CalledCombination out;
  if (is_formula(call)) {
    Result<Expr> expr = parse_expr(call.whole(), "");
    if (!expr) return without_column(expr.error());
    out.id = Combination::FunctionGraph;
    out.expr = std::make_shared<const Expr>(std::move(*expr));
    return out;
  }
  const auto id = combination_of(call.text);
  if (!id) return unknown(call, combination_names());
  out.id = *id;
  VECC_TRY(out.axis, axis_of(call, *id));
  return out;
}

Result<CalledAggregation> call_aggregation(const FunctionCall& call) {
  CalledAggregation out;
  const auto id = combination_of(call.text);
  if (!id || !is_aggregation(*id)) return unknown(call, aggregation_names());
  out.id = *id;
  if (*id == Combination::Softmax) {
    VECC_TRY(out.over, variables_of(call));
  } else {
    VECC_TRY(out.axis, axis_of(call, *id));
  }
  return out;
}

}  // namespace vecc::tools::language
