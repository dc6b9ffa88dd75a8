#include "src/support/utf8.h"

#include <algorithm>
#include <iterator>

namespace vecc {
namespace {

struct CodeRange {
  std::uint32_t first, last;
};

constexpr CodeRange kInvisible[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},    // C0, DEL and C1 controls
    {0x00AD, 0x00AD},                        // soft hyphen
    {0x034F, 0x034F},                        // combining grapheme joiner
    {0x061C, 0x061C},                        // Arabic letter mark
    {0x115F, 0x1160},                        // Hangul fillers
    {0x17B4, 0x17B5},                        // Khmer inherent vowels
    {0x180B, 0x180F},                        // Mongolian selectors and vowel separator
    {0x200B, 0x200F},                        // zero width space to right-to-left mark
    {0x2028, 0x202E},                        // separators, bidirectional embeddings and overrides
    {0x2060, 0x206F},                        // word joiner, bidirectional isolates
    {0x3164, 0x3164},                        // Hangul filler
    {0xFE00, 0xFE0F},                        // variation selectors
    {0xFEFF, 0xFEFF},                        // zero width no-break space
    {0xFFA0, 0xFFA0},                        // halfwidth Hangul filler
    {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},    // annotations, noncharacters
    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},  // shorthand and musical format controls
    {0xE0000, 0xE0FFF},                      // tags, variation selectors' supplement
};

std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // a continuation byte, or an overlong form
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

}  // namespace

Utf8Character decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = length_of(byte(at));
  if (length == 0 || text.size() - at < length) return {};
  if (length == 1) return {byte(at), 1};
  std::uint32_t code = byte(at) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(at + i) & 0x3Fu);
  }
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (is_overlong || is_surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = decode_utf8(text, at).length;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool is_invisible(std::uint32_t code) {
  if ((code & 0xFFFE) == 0xFFFE) return true;
  return std::any_of(std::begin(kInvisible), std::end(kInvisible),
                     [&](const CodeRange& r) { return code >= r.first && code <= r.last; });
}

}  // namespace vecc
