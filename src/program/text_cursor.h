// A place in a Program's text, the tokens that begin there, and the errors that name it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vecc/error.h"
#include "vecc/shape.h"

namespace vecc {

/// Reads tokens of one text from left to right. Spaces before a token are skipped; a newline is a
/// token of its own. Errors are ProgramSyntax: `p.vecc:3:14: error: found "x", expected ...`.
class TextCursor {
 public:
  TextCursor(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
  /// Behind the last token of a line: at a newline or the end.
  [[nodiscard]] bool at_line_end();
  /// Whether the next bytes are `token`.
  [[nodiscard]] bool is_next(std::string_view token);
  /// Takes `token` if it is next.
  [[nodiscard]] bool accept(std::string_view token);
  /// Takes `token`, or fails.
  [[nodiscard]] Result<void> expect(std::string_view token);
  /// Takes the newline; fails if anything else stands before it. True at the end of the text.
  [[nodiscard]] Result<void> expect_line_end();
  /// Everything up to the newline.
  [[nodiscard]] std::string_view take_line();
  /// Everything before the first of `stops`, or up to the newline.
  [[nodiscard]] std::string_view take_until(std::string_view stops);
  /// Letters, digits, `_` and `-`; may be empty.
  [[nodiscard]] std::string_view take_word();

  /// An unsigned decimal number that fits; `expected` says what it is for.
  [[nodiscard]] Result<std::uint32_t> read_u32(std::string_view expected);
  [[nodiscard]] Result<std::uint64_t> read_u64(std::string_view expected);
  /// A decimal number, `inf`, `-inf` or `nan`.
  [[nodiscard]] Result<double> read_double();
  /// A string between double quotes, unescaped.
  [[nodiscard]] Result<std::string> read_string(std::string_view expected);
  /// `1` or `3x1`
  [[nodiscard]] Result<Shape> read_shape();

  /// The next token's position, to give to error_at later.
  [[nodiscard]] std::size_t position();
  /// `p.vecc:3:14`
  [[nodiscard]] std::string place_at(std::size_t position) const;
  /// Found what stands at `position`.
  [[nodiscard]] Errors error_at(std::size_t position, std::string_view expected) const;
  /// Found what comes next.
  [[nodiscard]] Errors error(std::string_view expected) { return error_at(position(), expected); }

 private:
  void skip_spaces();

  std::string_view text_;
  std::string_view name_;
  std::size_t position_ = 0;
};

}  // namespace vecc
