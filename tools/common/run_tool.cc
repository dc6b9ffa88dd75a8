#include "tools/common/run_tool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <sstream>
#include <string>

#include "src/support/free_memory.h"
#include "src/support/quantity_text.h"
#include "tools/common/data_sink.h"
#include "tools/common/freed_memory.h"
#include "tools/common/interrupt.h"
#include "tools/common/terminal.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

/// A standard stream that the parent closed would be the number of the next file opened, and words
/// would land in it. Read-only, so that data written to a closed stdout is still an error.
void fill_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) == -1 && ::open("/dev/null", O_RDONLY) != fd) return;
  }
}

int report_bug(const char* what) {
  std::fprintf(stderr,
               "internal error: %s\nThis is a bug of vecc: please report it with the command line "
               "and the file.\n",
               what);
  return static_cast<int>(ExitCode::Internal);
}

// What ran has let its memory go by now, but for the peak.
std::string memory_text() {
  const ProcessMemory peak = process_peak();
  const HostRoom room = host_room();
  if (peak.address_space == 0 || room.limit.empty()) return {};
  return ": at most " + text_of_bytes(peak.resident) + " were used, " +
         text_of_bytes(peak.address_space) + " of addresses; the limit is " +
         escape_terminal(room.limit);
}

int report_out_of_memory() {
  try {
    std::fputs(("error: out of memory" + memory_text() + " [E063]\n").c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory [E063]\n", stderr);
  }
  return static_cast<int>(ExitCode::Device);
}

void print_line(const std::string& line) {
  constexpr std::string_view kWord = "error: ";
  const std::size_t at = line.find(kWord);
  if (!terminal_of(STDERR_FILENO).escapes || at == std::string::npos) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  std::fprintf(stderr, "%s\x1b[1;31merror:\x1b[0m %s\n", line.substr(0, at).c_str(),
               line.c_str() + at + kWord.size());
}

}  // namespace

int run_tool(const std::function<int()>& body) {
  keep_freed_memory();
  fill_standard_streams();
  install_signal_handlers();
  try {
    return body();
  } catch (const BrokenPipe&) {
    return static_cast<int>(ExitCode::Ok);
  } catch (const std::bad_alloc&) {
    return report_out_of_memory();
  } catch (const std::exception& e) {
    return report_bug(e.what());
  }
}

int report_errors(const Errors& errors) {
  std::istringstream lines(errors.text());
  for (std::string line; std::getline(lines, line);) print_line(line);
  return static_cast<int>(errors.exit_code());
}

int report_usage(std::string_view tool, std::string_view message) {
  print_line(std::string(tool) + ": error: " + std::string(message));
  return static_cast<int>(ExitCode::Usage);
}

}  // namespace vecc::tools
