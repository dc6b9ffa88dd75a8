// What a file descriptor's terminal can do.
#pragma once

#include <cstddef>

namespace vecc::tools {

struct Terminal {
  bool interactive = false;  ///< a terminal that can redraw a line (not TERM=dumb)
  bool escapes = false;      ///< colours and escape sequences are welcome (NO_COLOR is not set)
};
[[nodiscard]] Terminal terminal_of(int fd);
/// Columns now (a terminal may be resized at any time); 80 if unknown.
[[nodiscard]] std::size_t terminal_width(int fd);

}  // namespace vecc::tools
