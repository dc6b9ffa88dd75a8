#include "tools/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace vecc::tools {

Terminal terminal_of(int fd) {
  const char* term = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  Terminal result;
  result.interactive = ::isatty(fd) == 1 && (term == nullptr || std::string_view(term) != "dumb");
  result.escapes = result.interactive && (no_color == nullptr || *no_color == '\0');
  return result;
}

std::size_t terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace vecc::tools
