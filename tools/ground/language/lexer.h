// Words and marks of NeuraLogic's language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/ground/language/source.h"
#include "tools/ground/language/template.h"

namespace vecc::tools::language {

enum class TokenKind : std::uint8_t {
  Variable,      ///< `X`, `_`, `_x`
  Type,          ///< `atom:`
  Integer,       ///< `12`, `-3`
  Decimal,       ///< `0.5`, `1.0e-3`
  Name,          ///< `carbon`
  Quoted,        ///< `"Ox 1"`: a constant of any characters
  Implies,       ///< `:-`, `<=`
  Assign,        ///< `=`
  LeftBrace,     ///< `{`
  RightBrace,    ///< `}`
  Less,          ///< `<`
  Greater,       ///< `>`
  LeftBracket,   ///< `[`
  RightBracket,  ///< `]`
  LeftParen,     ///< `(`
  RightParen,    ///< `)`
  Comma,         ///< `,`
  Dot,           ///< `.`
  Colon,         ///< `:`
  Slash,         ///< `/`
  Caret,         ///< `^`
  Dollar,        ///< `$`
  Bang,          ///< `!`
  Tilde,         ///< `~`
  At,            ///< `@`
  Star,          ///< `*`
  Pipe,          ///< `|`
  OpenComment,   ///< `/*` without its end
  Other,         ///< what no word begins with
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  Position at;
};

/// What a quoted token says: `\"` is a quote, `\\` a backslash.
[[nodiscard]] std::string unquote(std::string_view token);

/// The tokens of a source, in order; the longest one that fits. `%` begins a comment up to the end
/// of the line, `/*` one up to its `*/`; they nest. After the last token: End, always.
class Lexer {
 public:
  explicit Lexer(const Source& source);
  [[nodiscard]] Token next();

 private:
  void skip_blanks();
  void start_line();
  void skip_line_comment();
  /// False at a comment without an end.
  bool skip_block_comment();
  [[nodiscard]] char byte(std::size_t ahead = 0) const {
    return at_ + ahead < bytes_.size() ? bytes_[at_ + ahead] : '\0';
  }
  [[nodiscard]] std::size_t word_length();
  Token word();
  Token signed_word();
  Token number();
  Token mark();
  Token quoted();
  Token token(TokenKind kind, std::size_t length);

  const Source& source_;
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t word_end_ = 0;  ///< of the run of letters, digits, `_` and `-` seen last
  std::size_t segment_ = 0;
  std::size_t line_begin_ = 0;  ///< where column 1 would be is line_begin_ - first_column_ + 1
  std::uint32_t line_ = 1;
  std::uint32_t first_column_ = 1;
};

}  // namespace vecc::tools::language
