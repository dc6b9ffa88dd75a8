// An open file that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace vecc {

class FileHandle {
 public:
  /// `file`: a descriptor, or below 0 where there is none.
  explicit FileHandle(int file = -1) : file_(file) {}
  FileHandle(FileHandle&& other) noexcept : file_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    const FileHandle old(std::exchange(file_, other.release()));
    return *this;
  }
  ~FileHandle() {
    if (file_ >= 0) ::close(file_);
  }
  [[nodiscard]] int get() const { return file_; }
  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  /// The caller closes it.
  [[nodiscard]] int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

}  // namespace vecc
