// Names are data: one escape function per sink. Nothing that a file contains reaches an output
// without one of these.
#pragma once

#include <string>
#include <string_view>

namespace vecc {

/// For the terminal and for messages: valid UTF-8 is kept; control characters, quotes, backslashes
/// and invalid bytes become \n, \", \x1b, invisible and direction-changing characters \u{202e} (so
/// in every sink); no longer than `limit` bytes (`...` ends a cut one).
[[nodiscard]] std::string escape_terminal(std::string_view text, std::size_t limit = 120);
/// For Program text, inside double quotes, without loss: unescape_program gives the bytes back.
[[nodiscard]] std::string escape_program(std::string_view text);
[[nodiscard]] std::string unescape_program(std::string_view text);
/// For a comment that ends the line (Program text after `#`); unescape_program gives it back. Ends
/// no block comment and continues no C++ comment either.
[[nodiscard]] std::string escape_comment(std::string_view text);
/// For a DOT string inside double quotes.
[[nodiscard]] std::string escape_dot(std::string_view text);
/// For HTML text and attribute values.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace vecc
