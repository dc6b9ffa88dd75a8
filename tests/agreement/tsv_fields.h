// Fields of the files that tools/golden/convert.py writes.
#pragma once

#include <charconv>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/shape.h"

namespace vecc::test {

/// Takes the text up to the next separator (or the end) off the front.
[[nodiscard]] std::string_view take_field(std::string_view& rest, char separator);

/// Throws std::runtime_error if the text is no number.
template <class Number>
Number parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || last != end) {
    throw std::runtime_error("not a number: " + std::string(text));
  }
  return number;
}

/// A shape (`1`, `3x1`), a tab, and its values, appended to `values`; the rest of a line. Throws
/// std::runtime_error if they disagree.
Shape parse_value(std::string_view rest, std::vector<double>& values);

/// Calls `parse` with every line that is neither empty nor a comment (#). Throws
/// std::runtime_error, with file and line before what `parse` threw, or if there is no such file.
void read_lines(const std::string& path, const std::function<void(std::string_view)>& parse);

}  // namespace vecc::test
