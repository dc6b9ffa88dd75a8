#include "tools/ground/language/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vecc::tools::language {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
// What a name may go on with.
bool is_word(char c) {
  return is_lower(c) || is_upper(c) || is_digit(c) || c == '_' || c == '-';
}

constexpr std::array kMarks = {
    std::pair{'=', TokenKind::Assign},       std::pair{'{', TokenKind::LeftBrace},
    std::pair{'}', TokenKind::RightBrace},   std::pair{'<', TokenKind::Less},
    std::pair{'>', TokenKind::Greater},      std::pair{'[', TokenKind::LeftBracket},
    std::pair{']', TokenKind::RightBracket}, std::pair{'(', TokenKind::LeftParen},
    std::pair{')', TokenKind::RightParen},   std::pair{',', TokenKind::Comma},
    std::pair{'.', TokenKind::Dot},          std::pair{':', TokenKind::Colon},
    std::pair{'/', TokenKind::Slash},        std::pair{'^', TokenKind::Caret},
    std::pair{'$', TokenKind::Dollar},       std::pair{'!', TokenKind::Bang},
    std::pair{'~', TokenKind::Tilde},        std::pair{'@', TokenKind::At},
    std::pair{'*', TokenKind::Star},         std::pair{'|', TokenKind::Pipe},
};

}  // namespace

Lexer::Lexer(const Source& source) : source_(source), bytes_(source.bytes) {
  line_ = source.segments.front().line;
  first_column_ = source.segments.front().column;
}

void Lexer::start_line() {
  line_begin_ = at_;
  first_column_ = 1;
  ++line_;
  // Several begin at one place where an imported file is empty.
  while (segment_ + 1 < source_.segments.size() && source_.segments[segment_ + 1].begin <= at_) {
    ++segment_;
    line_ = source_.segments[segment_].line;
    first_column_ = source_.segments[segment_].column;
  }
}

void Lexer::skip_blanks() {
  while (at_ < bytes_.size()) {
    const char c = bytes_[at_];
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return;
    ++at_;
    if (c == '\n') start_line();
  }
}

void Lexer::skip_line_comment() {
  at_ = std::min(bytes_.find('\n', at_), bytes_.size());
}

bool Lexer::skip_block_comment() {
  std::size_t depth = 0;
  while (at_ < bytes_.size()) {
    if (byte() == '/' && byte(1) == '*') {
      ++depth;
      at_ += 2;
    } else if (byte() == '*' && byte(1) == '/') {
      at_ += 2;
      if (--depth == 0) return true;
    } else if (bytes_[at_++] == '\n') {
      start_line();
    }
  }
  return false;
}

Token Lexer::token(TokenKind kind, std::size_t length) {
  const std::size_t column = at_ - line_begin_ + first_column_;
  const Token result{kind,
                     bytes_.substr(at_, length),
                     {line_, static_cast<std::uint32_t>(column), source_.segments[segment_].file}};
  at_ += length;
  return result;
}

// `-1-1-1` is three numbers, each of which could begin a type: the run is searched once.
std::size_t Lexer::word_length() {
  if (word_end_ <= at_) {
    word_end_ = at_ + 1;
    while (word_end_ < bytes_.size() && is_word(bytes_[word_end_])) ++word_end_;
  }
  return word_end_ - at_;
}

Token Lexer::word() {
  const std::size_t length = word_length();
  if (byte(length) == ':') return token(TokenKind::Type, length + 1);
  const char first = byte();
  if (is_upper(first) || first == '_') return token(TokenKind::Variable, length);
  return token(TokenKind::Name, length);
}

// A number with a sign, a type (`-a:`, `-1:`), or neither.
Token Lexer::signed_word() {
  if (byte() == '-') {
    const std::size_t length = word_length();
    if (byte(length) == ':') return token(TokenKind::Type, length + 1);
  }
  return is_digit(byte(1)) ? number() : token(TokenKind::Other, 1);
}

Token Lexer::number() {
  std::size_t length = is_digit(byte()) ? 0 : 1;
  const auto digits = [&] {
    while (is_digit(byte(length))) ++length;
  };
  digits();
  if (byte(length) != '.' || !is_digit(byte(length + 1))) {
    return token(TokenKind::Integer, length);
  }
  ++length;
  digits();
  if (byte(length) == 'e' || byte(length) == 'E') {
    const std::size_t sign = byte(length + 1) == '+' || byte(length + 1) == '-' ? 1 : 0;
    if (is_digit(byte(length + 1 + sign))) {
      length += 1 + sign;
      digits();
    }
  }
  return token(TokenKind::Decimal, length);
}

Token Lexer::mark() {
  const char first = byte();
  if ((first == ':' && byte(1) == '-') || (first == '<' && byte(1) == '=')) {
    return token(TokenKind::Implies, 2);
  }
  const auto found = std::ranges::find(kMarks, first, &std::pair<char, TokenKind>::first);
  if (found != kMarks.end()) return token(found->second, 1);
  std::size_t length = 1;
  // The bytes of a character outside of ASCII together.
  while (static_cast<unsigned char>(first) >= 0x80 &&
         (static_cast<unsigned char>(byte(length)) & 0xC0) == 0x80) {
    ++length;
  }
  return token(TokenKind::Other, length);
}

// Up to its quote in the same line; one without is no word.
Token Lexer::quoted() {
  for (std::size_t length = 1; at_ + length < bytes_.size(); ++length) {
    const char c = byte(length);
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) break;
    if (c == '\\') {
      ++length;
    } else if (c == '"') {
      return token(TokenKind::Quoted, length + 1);
    }
  }
  return token(TokenKind::Other, 1);
}

std::string unquote(std::string_view token) {
  std::string text;
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] == '\\') ++i;
    text += token[i];
  }
  return text;
}

Token Lexer::next() {
  for (;;) {
    skip_blanks();
    if (at_ == bytes_.size()) return token(TokenKind::End, 0);
    const char first = byte();
    if (first == '%') {
      skip_line_comment();
    } else if (first == '/' && byte(1) == '*') {
      const Token open = token(TokenKind::OpenComment, 2);
      at_ -= 2;
      if (!skip_block_comment()) return open;
    } else if (is_digit(first)) {
      return number();
    } else if (first == '+' || first == '-') {
      return signed_word();
    } else if (is_lower(first) || is_upper(first) || first == '_') {
      return word();
    } else if (first == '"') {
      return quoted();
    } else {
      return mark();
    }
  }
}

}  // namespace vecc::tools::language
