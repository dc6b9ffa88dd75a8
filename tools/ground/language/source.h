// What a lexer reads: the bytes of one file, or of a template with its imports in their places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vecc::tools::language {

/// Lines of one file, up to the next segment. Each begins at the begin of a line.
struct Segment {
  std::size_t begin = 0;     ///< in Source::bytes
  std::uint32_t file = 0;    ///< in Source::files
  std::uint32_t line = 1;    ///< of the first byte
  std::uint32_t column = 1;  ///< of the first byte
};

struct Source {
  std::vector<std::string> files;  ///< names for errors; escaped
  std::string_view bytes;
  std::vector<Segment> segments;  ///< ascending; the first begins at 0
};

/// One file that imports nothing.
[[nodiscard]] inline Source source_of(std::string name, std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  Segment first;
  if (bytes.starts_with(kByteOrderMark)) {
    bytes.remove_prefix(kByteOrderMark.size());
    first.column += static_cast<std::uint32_t>(kByteOrderMark.size());
  }
  return {{std::move(name)}, bytes, {first}};
}

}  // namespace vecc::tools::language
