#include "src/support/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "src/support/atomic_file.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 20;

// Closes what it holds.
class FileHandle {
 public:
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

Errors failure(ErrorCode code, const std::string& path, const std::string& what) {
  return Errors(code, escape_terminal(path, 4096), what + ": " + std::strerror(errno));
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path) {
  const FileHandle handle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (handle.get() < 0) return failure(ErrorCode::FileUnreadable, path, "cannot be read");
  std::string bytes;
  std::string block(kReadBlock, '\0');
  while (true) {
    const ssize_t count = ::read(handle.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure(ErrorCode::FileUnreadable, path, "cannot be read");
    if (count == 0) return bytes;
    bytes.append(block, 0, static_cast<std::size_t>(count));
  }
}

Result<void> write_whole_file(const std::string& path, std::string_view bytes) {
  std::optional<AtomicFile> file = AtomicFile::create(path);
  if (!file || !file->write(bytes) || !file->commit()) {
    return failure(ErrorCode::CannotWrite, path, "cannot be written");
  }
  return {};
}

}  // namespace vecc
