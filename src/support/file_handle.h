// An open file that closes itself.
#pragma once

#include <unistd.h>

namespace vecc {

class FileHandle {
 public:
  /// `file`: a descriptor, or below 0 where there is none.
  explicit FileHandle(int file) : file_(file) {}
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle() {
    if (file_ >= 0) ::close(file_);
  }
  [[nodiscard]] int get() const { return file_; }

 private:
  int file_;
};

}  // namespace vecc
