// The names of an enum whose enumerators count from 0: text_of(), a switch, has them; parsers and
// the lists of options and messages come from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vecc {

/// In the order of enumerators. text_of() is empty after the last.
template <class Enum>
[[nodiscard]] std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (std::uint8_t number = 0; !text_of(static_cast<Enum>(number)).empty(); ++number) {
    names.emplace_back(text_of(static_cast<Enum>(number)));
  }
  return names;
}

/// `sum|mean`, `sum, mean`
template <class Enum>
[[nodiscard]] std::string names_text(std::string_view between) {
  std::string text;
  for (const std::string& name : names_of<Enum>()) {
    if (!text.empty()) text += between;
    text += name;
  }
  return text;
}

/// None for other text.
template <class Enum>
[[nodiscard]] std::optional<Enum> parse_name(std::string_view text) {
  for (std::uint8_t number = 0; !text_of(static_cast<Enum>(number)).empty(); ++number) {
    if (text_of(static_cast<Enum>(number)) == text) return static_cast<Enum>(number);
  }
  return std::nullopt;
}

}  // namespace vecc
