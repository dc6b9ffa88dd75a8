#include "tools/import/load/text_checks.h"

#include <cstdio>

#include "tools/import/load/line_reader.h"

namespace vecc::tools {

bool check_not_empty(const Text& text, std::string_view expected, LoadErrors& errors) {
  if (!without_ends(text.bytes).empty()) return true;
  errors.add(ErrorCode::FileEmpty, {text.name},
             [&] { return "is empty, expected " + std::string(expected); });
  return false;
}

bool check_names_text(const Text& text, std::string_view expected, LoadErrors& errors) {
  if (!check_not_empty(text, expected, errors)) return false;
  const std::optional<BadByte> bad = find_bad_utf8(text.bytes);
  if (!bad) return true;
  errors.add(ErrorCode::BadTable, {text.name, bad->line, bad->column}, [&] {
    char message[64];
    std::snprintf(message, sizeof message, "found the byte 0x%02x, expected UTF-8 text",
                  static_cast<unsigned>(bad->value));
    return std::string(message);
  });
  return false;
}

bool check_row_limit(const Text& text, std::uint64_t rows, ErrorCode code, LoadErrors& errors) {
  if (rows <= kMaxRows) return true;
  errors.add(code, {text.name}, [&] {
    return "has " + std::to_string(rows) + " lines, the limit is " + std::to_string(kMaxRows);
  });
  return false;
}

}  // namespace vecc::tools
