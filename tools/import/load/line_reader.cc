#include "tools/import/load/line_reader.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "src/support/utf8.h"

namespace vecc::tools {
namespace {

// std::from_chars does not say whether a number was too large or too small.
double parse_extreme(std::string_view field) {
  return std::strtod(std::string(field).c_str(), nullptr);
}

// Eight ASCII characters at a time; the end of the ASCII at or after `at`.
std::size_t skip_ascii(std::string_view bytes, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::uint64_t word = 0;
  while (bytes.size() - at >= sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
    at += sizeof word;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace

std::string_view without_ends(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view()
                                        : text.substr(0, text.find('\n', last));
}

LineReader::LineReader(std::string_view bytes) : rest_(without_ends(bytes)) {}

std::uint64_t LineReader::count_rest() const {
  return rest_.empty() ? 0 : static_cast<std::uint64_t>(std::ranges::count(rest_, '\n')) + 1;
}

std::uint64_t FieldReader::column() const {
  const std::size_t first = line_.find_first_not_of(" \t", begin_);
  return std::min(first, next_ - 1) + 1;
}

std::uint64_t count_fields(std::string_view line, char separator) {
  return static_cast<std::uint64_t>(std::ranges::count(line, separator)) + 1;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> parse_integer(std::string_view field) {
  field = trim(field);
  std::int64_t value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view field) {
  field = trim(field);
  // Features are mostly 0 and 1.
  if (field.size() == 1 && field[0] >= '0' && field[0] <= '9') return field[0] - '0';
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc() ? value : parse_extreme(field);
}

std::optional<BadByte> find_bad_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while ((at = skip_ascii(bytes, at)) < bytes.size()) {
    const std::size_t length = decode_utf8(bytes, at).length;
    if (length == 0) {
      const std::string_view before = bytes.substr(0, at);
      const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
      return BadByte{static_cast<std::uint64_t>(std::ranges::count(before, '\n')) + 1,
                     at - line_begin + 1, static_cast<unsigned char>(bytes[at])};
    }
    at += length;
  }
  return std::nullopt;
}

}  // namespace vecc::tools
