#include "vecc/escape.h"

#include <cstdint>

#include "src/support/utf8.h"

namespace vecc {
namespace {

std::string hex(std::uint32_t value, std::size_t digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  do {
    result.insert(result.begin(), kDigits[value % 16]);
    value /= 16;
  } while (value > 0);
  return std::string(result.size() < digits ? digits - result.size() : 0, '0') + result;
}

// `\n`, `\x1b`, `\u{202e}` for what must not be printed as it is.
std::string escape_invisible(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return code < 0x80 ? "\\x" + hex(code, 2) : "\\u{" + hex(code, 1) + "}";
}

// One character or one stray byte of `text`, escaped; moves `at` behind it. `special` gives the
// replacement of a visible ASCII character, or null to keep it.
template <class Special>
std::string escape_next(std::string_view text, std::size_t& at, Special special) {
  const Utf8Character character = decode_utf8(text, at);
  if (character.length == 0) return "\\x" + hex(static_cast<unsigned char>(text[at++]), 2);
  const std::string_view bytes = text.substr(at, character.length);
  at += character.length;
  if (is_invisible(character.code)) return escape_invisible(character.code);
  const char* replacement = character.length == 1 ? special(bytes[0]) : nullptr;
  return replacement ? replacement : std::string(bytes);
}

template <class Special>
std::string escape_all(std::string_view text, Special special) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) result += escape_next(text, at, special);
  return result;
}

const char* quoted_special(char c) {
  if (c == '"') return "\\\"";
  if (c == '\\') return "\\\\";
  return nullptr;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

void append_utf8(std::string& result, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { result += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

// Reads the escape whose letter stands at text[at]; returns the position behind it, or 0 if it is
// none of ours.
std::size_t read_escape(std::string_view text, std::size_t at, std::string& result) {
  switch (text[at]) {
    case 'n': result += '\n'; return at + 1;
    case 'r': result += '\r'; return at + 1;
    case 't': result += '\t'; return at + 1;
    case '"': result += '"'; return at + 1;
    case '\\': result += '\\'; return at + 1;
    case 'x': {
      if (text.size() - at < 3) return 0;
      const int high = hex_digit(text[at + 1]);
      const int low = hex_digit(text[at + 2]);
      if (high < 0 || low < 0) return 0;
      result += static_cast<char>(high * 16 + low);
      return at + 3;
    }
    case 'u': {
      std::uint32_t code = 0;
      std::size_t i = at + 2;
      if (i > text.size() || text.substr(at + 1, 1) != "{") return 0;
      for (; i < text.size() && i < at + 8 && hex_digit(text[i]) >= 0; ++i) {
        code = code * 16 + static_cast<std::uint32_t>(hex_digit(text[i]));
      }
      if (i == at + 2 || i >= text.size() || text[i] != '}' || code > 0x10FFFF) return 0;
      append_utf8(result, code);
      return i + 1;
    }
  }
  return 0;
}

}  // namespace

std::string escape_terminal(std::string_view text, std::size_t limit) {
  static constexpr std::string_view kDots = "...";
  std::string result;
  std::size_t kept = 0;  // bytes of `result` that leave room for the dots
  for (std::size_t at = 0; at < text.size();) {
    result += escape_next(text, at, quoted_special);
    if (result.size() > limit) {
      result.resize(kept);
      return result.append(kDots.substr(0, limit));
    }
    if (result.size() + kDots.size() <= limit) kept = result.size();
  }
  return result;
}

std::string escape_program(std::string_view text) {
  return escape_all(text, quoted_special);
}

std::string unescape_program(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end =
        text[at] == '\\' && at + 1 < text.size() ? read_escape(text, at + 1, result) : 0;
    if (end > 0) {
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::string escape_comment(std::string_view text) {
  // Besides what ends a line, what would end a block comment or join the next line of a C++
  // comment, and spaces at the end, which editors drop.
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_last = at + 1 == text.size();
    const bool ends_block = text[at] == '/' && at > 0 && text[at - 1] == '*';
    if (ends_block || (is_last && (text[at] == '\\' || text[at] == ' '))) {
      result += "\\x" + hex(static_cast<unsigned char>(text[at++]), 2);
    } else {
      result += escape_next(text, at, [](char c) { return c == '\\' ? "\\\\" : nullptr; });
    }
  }
  return result;
}

std::string escape_dot(std::string_view text) {
  // Graphviz reads HTML entities and backslash escapes in every label: both are doubled, so that
  // the picture shows what escape_terminal would.
  std::string visible = escape_all(text, [](char) -> const char* { return nullptr; });
  std::string result;
  for (const char c : visible) {
    switch (c) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string escape_html(std::string_view text) {
  return escape_all(text, [](char c) -> const char* {
    switch (c) {
      case '&': return "&amp;";
      case '<': return "&lt;";
      case '>': return "&gt;";
      case '"': return "&quot;";
      case '\'': return "&#39;";
    }
    return nullptr;
  });
}

}  // namespace vecc
