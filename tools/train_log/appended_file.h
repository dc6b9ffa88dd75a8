// A file that grows piece by piece.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "src/support/file_handle.h"
#include "vecc/error.h"

namespace vecc::tools {

/// Each piece is in the file whole when append() returns; a piece that failed (a full disk) is not
/// there in part.
class AppendedFile {
 public:
  /// Makes the file if there is none. A device or pipe is written as it is. Error: CannotWrite.
  [[nodiscard]] static Result<AppendedFile> open(const std::string& path);

  /// Error: CannotWrite.
  [[nodiscard]] Result<void> append(std::string_view bytes);

 private:
  AppendedFile(std::string path, FileHandle file)
      : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  FileHandle file_;
};

/// CannotWrite with the reason that errno has.
[[nodiscard]] Errors write_failure(const std::string& path, int error);

}  // namespace vecc::tools
