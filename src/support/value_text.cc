#include "src/support/value_text.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace vecc {

std::string text_of_number(double value, bool single) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[64];
  const bool is_float = single && std::abs(value) <= std::numeric_limits<float>::max() &&
                        static_cast<double>(static_cast<float>(value)) == value;
  const auto end = is_float ? std::to_chars(text, text + sizeof text, static_cast<float>(value))
                            : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string text_of_value(std::uint32_t rows, std::uint32_t cols, std::span<const double> value,
                          bool single) {
  if (rows == 0) return text_of_number(value[0], single);
  const bool nested = rows > 1 && cols > 1;
  std::string text = nested ? "[[" : "[";
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i > 0) text += nested && i % cols == 0 ? "], [" : ", ";
    text += text_of_number(value[i], single);
  }
  return text + (nested ? "]]" : "]");
}

}  // namespace vecc
