#include "src/program/text_cursor.h"

#include <algorithm>
#include <charconv>

#include "vecc/escape.h"

namespace vecc {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool is_number(char c) {
  return is_word(c) || c == '.' || c == '+';
}

// The longest token-like piece at the beginning of `text`, for a message.
std::string_view token_of(std::string_view text) {
  std::size_t end = text.front() == '%' ? 1 : 0;
  while (end < text.size() && is_number(text[end])) ++end;
  return text.substr(0, std::max<std::size_t>(end, 1));
}

}  // namespace

void TextCursor::skip_spaces() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
}

std::size_t TextCursor::position() {
  skip_spaces();
  return position_;
}

bool TextCursor::at_line_end() {
  skip_spaces();
  return at_end() || text_[position_] == '\n';
}

bool TextCursor::is_next(std::string_view token) {
  skip_spaces();
  return text_.substr(position_).starts_with(token);
}

bool TextCursor::accept(std::string_view token) {
  if (!is_next(token)) return false;
  position_ += token.size();
  return true;
}

Result<void> TextCursor::expect(std::string_view token) {
  if (accept(token)) return {};
  return error("\"" + std::string(token) + "\"");
}

Result<void> TextCursor::expect_line_end() {
  if (!at_line_end()) return error("the end of the line");
  if (!at_end()) ++position_;
  return {};
}

std::string_view TextCursor::take_line() {
  return take_until("");
}

std::string_view TextCursor::take_until(std::string_view stops) {
  const std::size_t begin = position_;
  while (!at_end() && text_[position_] != '\n' &&
         stops.find(text_[position_]) == std::string_view::npos) {
    ++position_;
  }
  return text_.substr(begin, position_ - begin);
}

std::string_view TextCursor::take_word() {
  skip_spaces();
  const std::size_t begin = position_;
  while (!at_end() && is_word(text_[position_])) ++position_;
  return text_.substr(begin, position_ - begin);
}

Result<std::uint64_t> TextCursor::read_u64(std::string_view expected) {
  skip_spaces();
  std::uint64_t value = 0;
  const char* begin = text_.data() + position_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc()) return error_at(position_, expected);
  position_ += static_cast<std::size_t>(end - begin);
  return value;
}

Result<std::uint32_t> TextCursor::read_u32(std::string_view expected) {
  const std::size_t begin = position();
  VECC_TRY(const std::uint64_t value, read_u64(expected));
  if (value > 0xFFFFFFFFull) return error_at(begin, std::string(expected) + " below 2^32");
  return static_cast<std::uint32_t>(value);
}

Result<double> TextCursor::read_double() {
  skip_spaces();
  std::size_t length = 0;
  while (position_ + length < text_.size() && is_number(text_[position_ + length])) ++length;
  const char* begin = text_.data() + position_;
  double value = 0;
  const auto [end, error] = std::from_chars(begin, begin + length, value);
  if (error != std::errc() || end != begin + length) return error_at(position_, "a number");
  position_ += length;
  return value;
}

Result<std::string> TextCursor::read_string(std::string_view expected) {
  skip_spaces();
  if (!is_next("\"")) return error(expected);
  std::size_t end = position_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
    end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
  }
  if (end >= text_.size() || text_[end] != '"') {
    position_ = std::min(end, text_.size());
    return error("\"\"\" at the end of a string");
  }
  std::string value = unescape_program(text_.substr(position_ + 1, end - position_ - 1));
  position_ = end + 1;
  return value;
}

Result<Shape> TextCursor::read_shape() {
  const std::size_t begin = position();
  VECC_TRY(const std::uint32_t rows, read_u32("a shape"));
  const bool has_cols = !at_end() && text_[position_] == 'x';
  if (!has_cols && rows == 1) return Shape::scalar();
  if (!has_cols) return error_at(begin, "a shape such as 1 or 3x1");
  ++position_;
  VECC_TRY(const std::uint32_t cols, read_u32("a number of columns"));
  if (rows == 0 || cols == 0) return error_at(begin, "a shape with sides of at least 1");
  return Shape(rows, cols);
}

std::string TextCursor::place_at(std::size_t position) const {
  const std::string_view before = text_.substr(0, position);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? position : position - newline - 1;
  return escape_terminal(name_, 4096) + ":" + std::to_string(line) + ":" +
         std::to_string(column + 1);
}

Errors TextCursor::error_at(std::size_t position, std::string_view expected) const {
  const std::string_view rest = text_.substr(position);
  std::string found = rest.empty()           ? "the end of the text"
                      : rest.front() == '\n' ? "the end of the line"
                                             : "\"" + escape_terminal(token_of(rest), 40) + "\"";
  std::string message = "found " + std::move(found) + ", expected " + std::string(expected);
  if (rest.starts_with("...")) message += "; arrays of this text are shortened";
  return Errors(ErrorCode::ProgramSyntax, place_at(position), std::move(message));
}

}  // namespace vecc
