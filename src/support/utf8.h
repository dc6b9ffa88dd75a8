// Decoding of single UTF-8 characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vecc {

/// One character of a text: `length` 0 says that the bytes there are not well-formed UTF-8
/// (truncated, overlong, a surrogate, beyond U+10FFFF).
struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

/// The character at text[at]; `at` is inside the text.
[[nodiscard]] Utf8Character decode_utf8(std::string_view text, std::size_t at);

/// Whether the whole text is well-formed.
[[nodiscard]] bool is_utf8(std::string_view text);

/// Whether a reader cannot see the character for what it is: control characters, line and
/// paragraph separators, zero-width and bidirectional formatting characters, tags, variation
/// selectors' supplement and noncharacters.
[[nodiscard]] bool is_invisible(std::uint32_t code);

}  // namespace vecc
