// Running other programs by argument list (no shell sees a word) and reading what they print.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vecc/error.h"

namespace vecc {

struct ChildCommand {
  std::string file;  ///< searched in PATH if it names no folder
  std::vector<std::string> arguments = {};
  bool read_stderr = false;         ///< read stderr with stdout; else it is shared with ours
  std::size_t max_text = SIZE_MAX;  ///< what it prints beyond is read and dropped
  std::string folder = {};          ///< where it runs; empty: where we do
  std::vector<std::string> variables = {};  ///< "NAME=value", instead of our environment's
};

/// From now on every child has a process group of its own, which kill() ends with all that it has
/// started, and which Ctrl-C does not reach: for a program whose signal handlers call
/// kill_children(), before it starts any.
void group_children();
/// Kills the children that run (the first 512) and all that they have started, and waits for them:
/// for a signal handler that ends the process. Calls only what is safe there.
void kill_children();

/// A program that runs beside us, in our process group (Ctrl-C ends it too) but for
/// group_children(). Its stdin is empty.
class ChildProcess {
 public:
  /// Errors: DeviceFailure. Throws std::bad_alloc where memory is out.
  [[nodiscard]] static Result<ChildProcess> start(const ChildCommand& command);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  /// One that was never waited for is killed.
  ~ChildProcess();

  /// For poll(): readable when read_some() does not wait.
  [[nodiscard]] int descriptor() const { return output_; }
  /// Reads what is there, waiting until there is something; false at the end of the output.
  bool read_some();
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Ends it and what it started in turn once that has run for so long; for what kill() misses
  /// where children have no groups.
  void limit_cpu_seconds(std::uint64_t seconds) const;
  void kill() const;
  /// Waits for its end: "" if its exit code is 0, else "exit code 1", "ended by signal 11".
  [[nodiscard]] std::string wait();

 private:
  ChildProcess(pid_t pid, bool is_group, int output, std::size_t max_text);
  void abandon();

  pid_t pid_ = -1;  // -1: waited for, or moved from
  bool is_group_ = false;
  int output_ = -1;
  std::size_t max_text_ = 0;
  std::string text_;
};

/// Runs a command to its end; returns what it printed. Errors: DeviceFailure, if it cannot be
/// started or does not end with code 0.
[[nodiscard]] Result<std::string> run_child(const ChildCommand& command);

}  // namespace vecc
