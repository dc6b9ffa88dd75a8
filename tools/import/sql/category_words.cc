#include "tools/import/sql/category_words.h"

#include <algorithm>
#include <string_view>

namespace vecc::tools::sql {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_name(std::string_view text) {
  return is_lower(text.front()) && std::ranges::all_of(text, [](char c) {
           return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
         });
}

bool is_number(std::string_view text) {
  if (text.front() == '-') text.remove_prefix(1);
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, dot);
  const bool has_fraction = dot + 1 < text.size();
  return !whole.empty() && std::ranges::all_of(whole, is_digit) &&
         (dot == text.size() || has_fraction) &&
         (!has_fraction || std::ranges::all_of(text.substr(dot + 1), is_digit));
}

}  // namespace

std::vector<std::string> category_words(const ColumnCode& code) {
  std::vector<std::string> words;
  for (std::uint32_t i = 0; i < code.category_count(); ++i) {
    const std::string_view value = i < code.values.size() ? code.values[i] : std::string_view();
    const bool is_word = !value.empty() && (is_name(value) || is_number(value));
    words.push_back(is_word ? std::string(value) : "#" + std::to_string(i));
  }
  return words;
}

}  // namespace vecc::tools::sql
