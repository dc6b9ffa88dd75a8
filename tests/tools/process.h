// Running the built tools and looking at all they do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vecc::test {

// vecc-ground's engine.
#ifdef VECC_HAS_SQLITE
constexpr bool kHasSqlite = true;
#else
constexpr bool kHasSqlite = false;
#endif

struct Command {
  std::string tool;  ///< `vecc`: build/bin/vecc
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< `NO_COLOR=1`, added or instead
  std::string stdin_path = "/dev/null";
  std::string stdout_path;           ///< empty: captured
  bool stdout_closed = false;        ///< a pipe without a reader
  bool stderr_terminal = false;      ///< stderr is a pseudo-terminal
  unsigned columns = 80;             ///< of that terminal
  std::uint64_t max_file_bytes = 0;  ///< a file that grows beyond is a full disk; 0: no limit
  std::string interrupt_on;          ///< SIGINT as soon as stderr holds this text
};

struct Finished {
  int code = -1;   ///< exit code; -1 if ended by a signal
  int signal = 0;  ///< the signal that ended it
  std::string out;
  std::string err;
};

/// Runs to the end; kills after five minutes. Throws std::runtime_error if it cannot start.
[[nodiscard]] Finished run(const Command& command);
[[nodiscard]] Finished run_tool(const std::string& tool, std::vector<std::string> arguments);
/// `vecc` with these arguments.
[[nodiscard]] Finished run_vecc(std::vector<std::string> arguments);

/// A new empty folder of the running test, removed at the end of the program.
[[nodiscard]] std::string test_folder();
[[nodiscard]] std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);
/// Names in a folder, sorted.
[[nodiscard]] std::vector<std::string> list_folder(const std::string& path);
/// Whether a terminal could take any of it for a command: a control character other than newline
/// and tab, in ASCII or as a two-byte C1 code.
[[nodiscard]] bool has_control_characters(const std::string& text);

}  // namespace vecc::test
