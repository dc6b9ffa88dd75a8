// Text of expressions: printer and parser. Neither recurses, so that a hostile text cannot overflow
// the stack.
#include <cmath>

#include "src/function/parameter_text.h"
#include "vecc/escape.h"
#include "vecc/function.h"

namespace vecc {
namespace {

std::string bracketed(const std::string& text) {
  return text.empty() ? "" : "[" + text + "]";
}

// `leakyrelu[0.2]`; of a leaf, the whole text.
std::string head_text(const ExprNode& node) {
  switch (node.kind) {
    case ExprNode::Kind::Input: return "$" + std::to_string(node.input);
    case ExprNode::Kind::Constant: return number_text(node.constant);
    case ExprNode::Kind::Transform: {
      const TransformationSpec& spec = node.transformation;
      return std::string(info(spec.id).text) + bracketed(word_count(spec.id) > 0
                                                             ? words_text(spec.id, node.words)
                                                             : parameters_text(spec));
    }
    case ExprNode::Kind::Combine: {
      const bool has_axis = node.combination == Combination::Concat && node.axis != -1;
      return std::string(info(node.combination).text) +
             bracketed(has_axis ? "axis=" + std::to_string(node.axis) : "");
    }
    case ExprNode::Kind::Draw: return "draw";
  }
  fail_check("known node", __FILE__, __LINE__, std::to_string(static_cast<int>(node.kind)));
}

class ExprParser {
 public:
  ExprParser(std::string_view text, std::string_view place) : text_(text), place_(place) {}

  Result<Expr> parse() {
    for (;;) {
      VECC_TRY(const bool is_leaf, parse_operand());
      if (!is_leaf) continue;  // a function: its first operand comes next
      VECC_TRY(const bool more, close_calls());
      if (more) continue;
      if (position_ < text_.size()) return error(ErrorCode::ProgramSyntax, found("the end"));
      VECC_TRY_VOID(check_expr(expr_, place_));
      return std::move(expr_);
    }
  }

 private:
  struct Call {
    std::string_view name;
    std::string_view parameters;
    std::size_t begin = 0;
    std::uint32_t arity = 0;
  };

  // A leaf (true), or a function's name up to its opening parenthesis.
  Result<bool> parse_operand() {
    skip_spaces();
    if (expr_.nodes.size() + calls_.size() >= kMaxExprNodes) {
      return error(ErrorCode::ProgramSyntax,
                   "more than " + std::to_string(kMaxExprNodes) + " functions and operands");
    }
    if (position_ == text_.size()) return error(ErrorCode::ProgramSyntax, found("an operand"));
    const char c = text_[position_];
    if (c == '$') return parse_input();
    if (c == '-' || is_digit(c)) return parse_constant();
    if (is_lower(c)) return parse_call();
    return error(ErrorCode::ProgramSyntax, found("an operand"));
  }

  Result<bool> parse_input() {
    const std::size_t begin = position_++;
    const auto number = parse_unsigned(take(is_digit));
    if (!number || *number >= kMaxExprInputs) {
      return error_at(begin, ErrorCode::ProgramSyntax,
                      "expected a number below " + std::to_string(kMaxExprInputs) + " after $");
    }
    ExprNode node;
    node.kind = ExprNode::Kind::Input;
    node.input = *number;
    expr_.nodes.push_back(node);
    return true;
  }

  Result<bool> parse_constant() {
    const std::size_t begin = position_;
    const auto in_number = [](char c) {
      return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
    };
    const auto number = parse_number(take(in_number));
    if (!number) return error_at(begin, ErrorCode::ProgramSyntax, "expected a finite number");
    ExprNode node;
    node.kind = ExprNode::Kind::Constant;
    node.constant = *number;
    expr_.nodes.push_back(node);
    return true;
  }

  Result<bool> parse_call() {
    Call call;
    call.begin = position_;
    call.name = take(is_lower);
    skip_spaces();
    if (accept('[')) {
      const std::size_t end = text_.find(']', position_);
      if (end == std::string_view::npos) {
        return error_at(position_ - 1, ErrorCode::ProgramSyntax, "expected \"]\" somewhere after");
      }
      call.parameters = text_.substr(position_, end - position_);
      position_ = end + 1;
      skip_spaces();
    }
    if (!accept('(')) return error(ErrorCode::ProgramSyntax, found("\"(\""));
    if (calls_.size() >= kMaxExprDepth - 1) {
      return error_at(call.begin, ErrorCode::ProgramSyntax,
                      "nested deeper than " + std::to_string(kMaxExprDepth));
    }
    calls_.push_back(call);
    return false;
  }

  // After an operand: ends every function that closes here. Whether another operand follows.
  Result<bool> close_calls() {
    while (!calls_.empty()) {
      skip_spaces();
      ++calls_.back().arity;
      if (accept(',')) return true;
      if (!accept(')')) return error(ErrorCode::ProgramSyntax, found("\",\" or \")\""));
      const Call call = calls_.back();
      calls_.pop_back();
      VECC_TRY_VOID(call.name == "draw" ? add_draw(call)
                    : call.arity == 1   ? add_transform(call)
                                        : add_combine(call));
    }
    skip_spaces();
    return false;
  }

  Result<void> add_draw(const Call& call) {
    if (!trim(call.parameters).empty()) {
      return error_at(call.begin, ErrorCode::ParameterRange, "draw has no parameter");
    }
    if (call.arity != kDrawWords) {
      return error_at(call.begin, ErrorCode::FanIn,
                      "draw has " + std::to_string(call.arity) + " operands, expected " +
                          std::to_string(kDrawWords));
    }
    ExprNode node;
    node.kind = ExprNode::Kind::Draw;
    node.arity = call.arity;
    expr_.nodes.push_back(node);
    return {};
  }

  Result<void> add_transform(const Call& call) {
    const auto id = parse_transformation(call.name);
    if (!id && parse_combination(call.name)) {
      return error_at(call.begin, ErrorCode::FanIn,
                      std::string(call.name) + " has 1 operand, expected at least 2");
    }
    if (!id) return unknown(call);
    ExprNode node;
    node.kind = ExprNode::Kind::Transform;
    node.transformation.id = *id;
    const std::string problem = word_count(*id) > 0
                                    ? parse_words(call.parameters, *id, node.words)
                                    : parse_parameters(call.parameters, node.transformation);
    if (!problem.empty()) return error_at(call.begin, ErrorCode::ParameterRange, problem);
    expr_.nodes.push_back(node);
    return {};
  }

  Result<void> add_combine(const Call& call) {
    const auto id = parse_combination(call.name);
    if (!id && parse_transformation(call.name)) {
      return error_at(
          call.begin, ErrorCode::FanIn,
          std::string(call.name) + " has " + std::to_string(call.arity) + " operands, expected 1");
    }
    if (!id || *id == Combination::FunctionGraph) return unknown(call);
    ExprNode node;
    node.kind = ExprNode::Kind::Combine;
    node.combination = *id;
    node.arity = call.arity;
    const std::string_view axis = trim(call.parameters);
    if (axis == "axis=0" && *id == Combination::Concat) {
      node.axis = 0;
    } else if (!axis.empty() && !(axis == "axis=-1" && *id == Combination::Concat)) {
      return error_at(call.begin, ErrorCode::ParameterRange,
                      *id == Combination::Concat ? "concat expects axis=0 or axis=-1"
                                                 : std::string(call.name) + " has no parameter");
    }
    expr_.nodes.push_back(node);
    return {};
  }

  [[nodiscard]] Errors unknown(const Call& call) const {
    return error_at(call.begin, ErrorCode::UnknownFunction,
                    "unknown function \"" + escape_terminal(call.name, 40) + "\" of " +
                        std::to_string(call.arity) + (call.arity == 1 ? " operand" : " operands"));
  }

  [[nodiscard]] Errors error_at(std::size_t position, ErrorCode code, std::string message) const {
    const std::string column = "column " + std::to_string(position + 1);
    const std::string place = place_.empty() ? column : std::string(place_) + ", " + column;
    return Errors(code, place, std::move(message));
  }
  [[nodiscard]] Errors error(ErrorCode code, std::string message) const {
    return error_at(position_, code, std::move(message));
  }
  [[nodiscard]] std::string found(const std::string& expected) const {
    const std::string what = position_ < text_.size()
                                 ? "\"" + escape_terminal(text_.substr(position_, 1)) + "\""
                                 : "the end";
    return "expected " + expected + ", found " + what;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
  void skip_spaces() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }
  bool accept(char c) {
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  template <class Predicate>
  std::string_view take(Predicate predicate) {
    const std::size_t begin = position_;
    while (position_ < text_.size() && predicate(text_[position_])) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  std::string_view text_;
  std::string_view place_;
  std::size_t position_ = 0;
  std::vector<Call> calls_;
  Expr expr_;
};

}  // namespace

std::string Expr::text() const {
  // Where the subtree that ends at each node begins: a postfix subtree is contiguous.
  std::vector<std::size_t> begin_of(nodes.size());
  std::vector<std::size_t> roots;
  // How many calls open before a node, how many close after it, whether a comma follows.
  std::vector<std::vector<std::size_t>> opened_at(nodes.size());
  std::vector<std::size_t> closed_after(nodes.size());
  std::vector<bool> comma_after(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::uint32_t arity = operand_count(nodes[i]);
    VECC_CHECK(roots.size() >= arity, "an expression's node lacks operands");
    for (std::size_t k = roots.size() - arity; k + 1 < roots.size(); ++k) {
      comma_after[roots[k]] = true;
    }
    begin_of[i] = arity == 0 ? i : begin_of[roots[roots.size() - arity]];
    roots.resize(roots.size() - arity);
    roots.push_back(i);
    if (arity > 0) opened_at[begin_of[i]].push_back(i);
  }
  std::string result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // Outer calls come later in postfix order, first in the text.
    for (auto call = opened_at[i].rbegin(); call != opened_at[i].rend(); ++call) {
      result += head_text(nodes[*call]) + "(";
    }
    result += operand_count(nodes[i]) == 0 ? head_text(nodes[i]) : ")";
    if (comma_after[i]) result += ", ";
  }
  return result;
}

Result<Expr> parse_expr(std::string_view text, std::string_view place) {
  return ExprParser(text, place).parse();
}

}  // namespace vecc
