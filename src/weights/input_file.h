// A weight file's bytes, read from any place: of a file, a pipe (held in memory), or memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/support/file_handle.h"
#include "vecc/error.h"

namespace vecc::weights {

class InputFile {
 public:
  /// Errors: FileUnreadable, LimitBytes; their places are empty.
  [[nodiscard]] static Result<InputFile> open(const std::string& path, std::uint64_t max_bytes);
  /// `bytes` must live as long as the InputFile.
  [[nodiscard]] static Result<InputFile> of_bytes(std::string_view bytes, std::uint64_t max_bytes);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// All `count` bytes from `offset` on, which the caller has compared with size(). Errors:
  /// FileUnreadable; FileTruncated, if the file has become shorter.
  [[nodiscard]] Result<void> read(std::uint64_t offset, char* out, std::uint64_t count) const;
  /// The same as a new string.
  [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::uint64_t count) const;

 private:
  InputFile() = default;
  [[nodiscard]] Result<void> hold_pipe(std::uint64_t max_bytes);

  FileHandle file_;         // or
  std::string held_;        // what a pipe gave, or
  std::string_view bytes_;  // memory of the caller's
  std::uint64_t size_ = 0;
};

}  // namespace vecc::weights
