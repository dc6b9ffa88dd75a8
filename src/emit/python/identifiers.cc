#include "src/emit/python/identifiers.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>

#include "src/support/utf8.h"

namespace vecc::python {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string attribute_name(std::string_view name) {
  std::string result;
  for (const char c : name) result += is_letter(c) || is_digit(c) ? c : '_';
  if (result.empty() || !is_letter(result[0])) result.insert(0, "w");
  // What the module calls its own: index_12, part_3.
  static constexpr std::array<std::string_view, 12> kOwn{
      "fact",  "index",   "segment", "members", "count",   "pairs",
      "place", "entries", "part",    "samples", "targets", "sample_weight"};
  const bool is_own = std::any_of(kOwn.begin(), kOwn.end(), [&](std::string_view word) {
    return result.starts_with(std::string(word) + "_");
  });
  // No keyword and no attribute of a Module has a digit, but for nn.Module.bfloat16, and none ends
  // in _w.
  const bool has_digit = std::any_of(result.begin(), result.end(), is_digit);
  const bool is_ours = (has_digit && result != "bfloat16") || result.ends_with("_w");
  if (is_own || !is_ours) result += "_w";
  return result;
}

}  // namespace

std::vector<std::string> attribute_names(const std::vector<std::string_view>& names) {
  std::vector<std::string> result;
  boost::unordered_flat_set<std::string> taken;
  for (const std::string_view name : names) {
    const std::string wanted = attribute_name(name);
    std::string free = wanted;
    for (std::size_t n = 2; !taken.insert(free).second; ++n)
      free = wanted + "_" + std::to_string(n);
    result.push_back(std::move(free));
  }
  return result;
}

std::string string_literal(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    at += std::max<std::size_t>(character.length, 1);
    const std::uint32_t code = character.length == 0 ? 0xFFFD : character.code;
    if (code >= ' ' && code < 0x7f) {
      if (code == '"' || code == '\\') result += '\\';
      result += static_cast<char>(code);
      continue;
    }
    result += "\\U";
    for (int shift = 28; shift >= 0; shift -= 4) result += kDigits[code >> shift & 15];
  }
  return result + "\"";
}

}  // namespace vecc::python
