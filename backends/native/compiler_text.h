// What a compiler printed, as a part of an error.
#pragma once

#include <algorithm>
#include <string>

#include "vecc/escape.h"

namespace vecc::native {

/// Each line escaped, shortened and indented, after a line break.
[[nodiscard]] inline std::string indented_lines(const std::string& text) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines += "\n  " + escape_terminal(text.substr(begin, end - begin), 200);
    begin = end + 1;
  }
  return lines;
}

}  // namespace vecc::native
