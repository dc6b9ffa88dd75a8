// Weights and their values.
#include <charconv>
#include <cmath>

#include "tools/ground/language/parser.h"
#include "tools/import/load/line_reader.h"

namespace vecc::tools::language {

bool Parser::parse_weight(Weight& weight) {
  weight.at = peek().at;
  if (accept(TokenKind::Dollar)) {
    if (!at(TokenKind::Name)) return fail("the name of a weight");
    weight.name = take().text;
    if (!expect(TokenKind::Assign, "\"=\" and the value or the shape of the weight")) return false;
  }
  weight.fixed = accept(TokenKind::Less);
  if (!parse_value(weight.value)) return false;
  return !weight.fixed || expect(TokenKind::Greater, "\">\"");
}

bool Parser::parse_value(Value& value) {
  value.at = peek().at;
  if (at(TokenKind::LeftBrace)) return parse_sizes(value);
  if (at(TokenKind::LeftBracket)) return parse_brackets(value);
  if (!at(TokenKind::Integer) && !at(TokenKind::Decimal)) {
    return fail("a number, \"[\" or \"{\"");
  }
  value.has_values = true;
  double wide = 0;
  const Token number = take();
  if (!number_of(number, wide)) return false;
  value.values = {wide};
  if (limits_.double_scalars) return true;
  // NeuraLogic reads scalars, and only them, as 32-bit floats.
  std::string_view text = number.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  float narrow = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), narrow);
  if (error != std::errc{}) {
    if (std::abs(wide) > 1) {
      return fail_at(number.at, ErrorCode::NotFinite,
                     found_expected(number.text, "a number that a 32-bit float holds"));
    }
    narrow = 0;
  }
  value.values = {narrow};
  return true;
}

bool Parser::number_of(const Token& token, double& number) {
  std::string_view text = token.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  number = parse_real(text).value_or(0);
  if (std::isfinite(number)) return true;
  return fail_at(token.at, ErrorCode::NotFinite, found_expected(token.text, "a finite number"));
}

bool Parser::size_of(const Token& token, std::uint32_t& size) {
  const std::optional<std::uint32_t> count = parse_count(token.text);
  if (token.kind != TokenKind::Integer || !count || *count == 0) {
    return fail_at(token.at, ErrorCode::BadTable,
                   found_expected(token.text, "a size: a whole number, 1 or more"));
  }
  size = *count;
  return true;
}

bool Parser::check_size(const Value& value) {
  if (value.shape.size() <= limits_.max_value_size) return true;
  return fail_at(value.at, ErrorCode::LimitShape,
                 "a value of " + value.shape.text() + ", the limit is " +
                     count_of(limits_.max_value_size, "element"));
}

// `{3}`, `{2,3}`.
bool Parser::parse_sizes(Value& value) {
  take();
  std::array<std::uint32_t, 2> sides{};
  std::size_t count = 0;
  do {
    if (count == sides.size()) return fail("\"}\": a shape has one or two sizes");
    if (!at(TokenKind::Integer) && !at(TokenKind::Decimal)) return fail("a size");
    if (!size_of(take(), sides[count++])) return false;
  } while (accept(TokenKind::Comma));
  if (!expect(TokenKind::RightBrace, "\",\" or \"}\"")) return false;
  value.shape = count == 2 ? Shape(sides[0], sides[1]) : Shape::column(sides[0]);
  // As in NeuraLogic; `[5]` is a vector.
  if (value.shape.size() == 1) value.shape = Shape::scalar();
  return check_size(value);
}

// `[1, 2]`, `[[1, 2] [3, 4]]`, `[3| 0:1]`, `[2,3| 0,1:1]`.
bool Parser::parse_brackets(Value& value) {
  value.has_values = true;
  if (peek(1).kind == TokenKind::LeftBracket) return parse_matrix(value);
  take();
  std::vector<Token> numbers;
  if (!parse_numbers(value, numbers)) return false;
  if (at(TokenKind::Pipe) && numbers.size() <= 2) {
    value.values.clear();
    return parse_sparse(value, numbers);
  }
  if (!expect(TokenKind::RightBracket, "\",\" or \"]\"")) return false;
  value.shape = Shape::column(static_cast<std::uint32_t>(value.values.size()));
  return true;
}

// Appends `1, 2, 3` to the values; the first two of them are handed on as they stand.
bool Parser::parse_numbers(Value& value, std::vector<Token>& numbers) {
  do {
    if (!at(TokenKind::Integer) && !at(TokenKind::Decimal)) return fail("a number");
    if (value.values.size() == limits_.max_value_size) {
      return fail_at(peek().at, ErrorCode::LimitShape,
                     "a value of more than " + count_of(limits_.max_value_size, "element"));
    }
    const Token number = take();
    if (numbers.size() < 3) numbers.push_back(number);
    if (!number_of(number, value.values.emplace_back())) return false;
  } while (accept(TokenKind::Comma));
  return true;
}

bool Parser::parse_matrix(Value& value) {
  take();
  std::uint32_t rows = 0;
  std::size_t cols = 0;
  do {
    const Position at = peek().at;
    if (!expect(TokenKind::LeftBracket, "\"[\" of a row")) return false;
    const std::size_t before = value.values.size();
    std::vector<Token> ignored;
    if (!parse_numbers(value, ignored)) return false;
    if (!expect(TokenKind::RightBracket, "\",\" or \"]\"")) return false;
    const std::size_t found = value.values.size() - before;
    if (rows++ == 0) cols = found;
    if (found != cols) {
      return fail_at(at, ErrorCode::ShapeMismatch,
                     "found a row of " + count_of(found, "number") + ", expected " +
                         std::to_string(cols) + " as in the first row");
    }
    // NeuraLogic's rows stand side by side, Python's behind commas.
  } while (accept(TokenKind::Comma) || at(TokenKind::LeftBracket));
  value.shape = Shape(rows, static_cast<std::uint32_t>(cols));
  return expect(TokenKind::RightBracket, "\"[\" or \"]\"");
}

bool Parser::parse_sparse(Value& value, std::span<const Token> sizes) {
  std::array<std::uint32_t, 2> sides{1, 1};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!size_of(sizes[i], sides[i])) return false;
  }
  take();
  value.shape = Shape(sides[0], sides[1]);
  if (!check_size(value)) return false;
  value.values.assign(value.shape.size(), 0);
  if (accept(TokenKind::RightBracket)) return true;
  do {
    if (!parse_element(value, sizes.size())) return false;
  } while (accept(TokenKind::Comma));
  return expect(TokenKind::RightBracket, "\",\" or \"]\"");
}

// `0:1.5`, `(0:1.5)`; of a matrix `0,1:1.5`, `(0,1:1.5)`.
bool Parser::parse_element(Value& value, std::size_t sides) {
  const bool in_parens = accept(TokenKind::LeftParen);
  std::uint32_t row = 0;
  std::uint32_t col = 0;
  if (!parse_index(value.shape.rows(), row)) return false;
  if (sides == 2) {
    if (!expect(TokenKind::Comma, "\",\" and a column")) return false;
    if (!parse_index(value.shape.cols(), col)) return false;
  }
  // `3:-2`: the longest mark that fits is that of a rule.
  if (!expect(TokenKind::Colon, at(TokenKind::Implies)
                                    ? "\":\" and the element's value, with a blank before a \"-\""
                                    : "\":\" and the element's value")) {
    return false;
  }
  if (!at(TokenKind::Integer) && !at(TokenKind::Decimal)) return fail("a number");
  if (!number_of(take(), value.values[std::size_t{row} * value.shape.cols() + col])) return false;
  return !in_parens || expect(TokenKind::RightParen, "\")\"");
}

bool Parser::parse_index(std::uint32_t limit, std::uint32_t& index) {
  const std::optional<std::uint32_t> found = parse_count(peek().text);
  if (!at(TokenKind::Integer) || !found || *found >= limit) {
    return fail("an index from 0 to " + std::to_string(limit - 1));
  }
  index = *found;
  take();
  return true;
}

}  // namespace vecc::tools::language
