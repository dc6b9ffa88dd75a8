#include "src/support/quantity_text.h"

#include <fmt/format.h>

namespace vecc {

std::string text_of_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string text_of_count(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", text_of_count(count), noun, count == 1 ? "" : "s");
}

std::string text_of_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  const char* units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (value /= 1024; value >= 1023.95; value /= 1024) ++unit;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string text_of_seconds(double seconds) {
  if (seconds < 0.9995e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

}  // namespace vecc
