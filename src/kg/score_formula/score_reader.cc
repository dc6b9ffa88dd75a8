#include "src/kg/score_formula/score_reader.h"

#include <utility>

#include "src/function/parameter_text.h"
#include "vecc/escape.h"

namespace vecc::kg {
namespace {

bool is_number_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

void ScoreReader::skip_spaces() {
  while (position_ < line_.size() &&
         (line_[position_] == ' ' || line_[position_] == '\t' || line_[position_] == '\r')) {
    ++position_;
  }
}

bool ScoreReader::at_end() {
  skip_spaces();
  return position_ == line_.size();
}

char ScoreReader::peek() {
  return at_end() ? '\0' : line_[position_];
}

bool ScoreReader::accept(char c) {
  if (peek() != c) return false;
  ++position_;
  return true;
}

std::string_view ScoreReader::take_name() {
  if (!is_letter(peek())) return {};
  const std::size_t begin = position_;
  while (position_ < line_.size() &&
         (is_letter(line_[position_]) || is_number_digit(line_[position_]))) {
    ++position_;
  }
  return line_.substr(begin, position_ - begin);
}

std::string ScoreReader::take_dotted_name() {
  std::string name(take_name());
  if (name.empty() || position_ + 1 >= line_.size() || line_[position_] != '.' ||
      !is_letter(line_[position_ + 1])) {
    return name;
  }
  ++position_;
  return name + "." + std::string(take_name());
}

std::optional<double> ScoreReader::take_number() {
  if (at_end()) return std::nullopt;
  const std::size_t begin = position_;
  std::size_t end = begin;
  while (end < line_.size() && (is_number_digit(line_[end]) || line_[end] == '.')) ++end;
  // An exponent, if digits follow it.
  if (end > begin && end < line_.size() && (line_[end] == 'e' || line_[end] == 'E')) {
    std::size_t digits = end + 1;
    if (digits < line_.size() && (line_[digits] == '-' || line_[digits] == '+')) ++digits;
    if (digits < line_.size() && is_number_digit(line_[digits])) {
      end = digits;
      while (end < line_.size() && is_number_digit(line_[end])) ++end;
    }
  }
  const auto number = parse_number(line_.substr(begin, end - begin));
  if (number) position_ = end;
  return number;
}

Result<std::string_view> ScoreReader::take_bracketed() {
  const std::size_t begin = position_;
  const std::size_t end = line_.find(']', begin);
  if (end == std::string_view::npos) {
    return error_at(begin, ErrorCode::ProgramSyntax, "expected \"]\" somewhere after");
  }
  position_ = end + 1;
  return line_.substr(begin, end - begin);
}

Result<std::uint64_t> ScoreReader::take_size() {
  std::uint64_t size = 1;
  do {
    skip_spaces();
    const std::size_t begin = position_;
    std::uint64_t factor = 0;
    while (position_ < line_.size() && is_number_digit(line_[position_]) &&
           factor <= kMaxFunctionSize) {
      factor = factor * 10 + static_cast<std::uint64_t>(line_[position_++] - '0');
    }
    if (position_ == begin) {
      const std::string_view name = take_name();
      factor = name == "dim" ? dims_.dim : name == "relation_dim" ? dims_.relation_dim : 0;
      if (factor == 0) {
        position_ = begin;
        return expected("a size: a number, dim or relation_dim");
      }
    }
    size *= factor;
    if (factor == 0 || size > kMaxFunctionSize) {
      return error_at(begin, ErrorCode::ParameterRange,
                      "expected a size of 1 to " + std::to_string(kMaxFunctionSize));
    }
  } while (accept('*'));
  return size;
}

Result<Shape> ScoreReader::take_shape() {
  const std::size_t begin = position_;
  VECC_TRY(const std::uint64_t rows, take_size());
  if (!accept('x')) {
    return rows == 1 ? Shape::scalar() : Shape::column(static_cast<std::uint32_t>(rows));
  }
  VECC_TRY(const std::uint64_t columns, take_size());
  if (rows * columns > kMaxFunctionSize) {
    return error_at(begin, ErrorCode::LimitShape,
                    std::to_string(rows) + "x" + std::to_string(columns) + " is more than " +
                        std::to_string(kMaxFunctionSize) + " numbers");
  }
  return Shape(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns));
}

std::string ScoreReader::place_at(std::size_t position) const {
  return std::string(place_) + ", line " + std::to_string(number_) + ", column " +
         std::to_string(position + 1);
}

Errors ScoreReader::error_at(std::size_t position, ErrorCode code, std::string message) const {
  return Errors(code, place_at(position), std::move(message));
}

Errors ScoreReader::expected(const std::string& what) {
  const std::string found =
      at_end() ? "the end" : "\"" + escape_terminal(line_.substr(position_, 1)) + "\"";
  return error_at(position_, ErrorCode::ProgramSyntax, "expected " + what + ", found " + found);
}

}  // namespace vecc::kg
