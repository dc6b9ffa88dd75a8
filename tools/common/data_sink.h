// Where a tool's data goes: stdout, or a file that appears whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"

namespace vecc::tools {

/// The reader of stdout has gone (`vecc ... | head -1`). Not an error: run_tool() ends quietly.
struct BrokenPipe {};

/// Buffered writing to stdout or to a file. A file is written beside its place and renamed by
/// finish(); without finish() nothing is left behind and the old file stays. What already exists
/// and is no regular file (/dev/null, a pipe), or is stdout or stderr by another name, is written
/// directly; a symbolic link is followed.
class DataSink {
 public:
  /// `path` empty: stdout. Error: CannotWrite.
  [[nodiscard]] static Result<DataSink> open(const std::string& path);
  DataSink(DataSink&&) noexcept;
  DataSink& operator=(DataSink&&) noexcept;
  ~DataSink();

  /// After a failure does nothing; finish() reports it. Throws BrokenPipe.
  void write(std::string_view text);
  /// Everything is on its way: synced and renamed, for a file. Error: CannotWrite.
  [[nodiscard]] Result<void> finish();

 private:
  struct State;
  explicit DataSink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Opens, writes and finishes.
[[nodiscard]] Result<void> write_data(const std::string& path, std::string_view text);

/// Before work that takes long: whether each path could be written. Empty ones and devices are not
/// looked at; leaves no file. Error: CannotWrite.
[[nodiscard]] Result<void> check_writable(const std::vector<std::string>& paths);

/// The same of weights and programs, which are written as whole files: a device or a pipe is an
/// error, too.
[[nodiscard]] Result<void> check_file_writable(const std::string& path);

/// Whether a path is something that must not be replaced by a rename: a device, a pipe, the file
/// that stdout or stderr goes to. What it is decides, not where: /dev/shm/x is a file.
[[nodiscard]] bool is_special_file(const std::string& path);
/// Opens it for writing at its end; of stdout and stderr, another descriptor of the same place in
/// the file. -1: errno tells.
[[nodiscard]] int open_special_file(const std::string& path);

}  // namespace vecc::tools
