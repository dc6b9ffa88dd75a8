#include "src/graph_io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/support/file_handle.h"

namespace vecc::graph_io {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(FileHandle file) : file_(std::move(file)) {}

  Result<std::size_t> read(char* out, std::size_t size) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), out, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) {
        return Errors(ErrorCode::FileUnreadable, "",
                      std::string("cannot be read: ") + std::strerror(errno));
      }
    }
  }

 private:
  FileHandle file_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}

  Result<std::size_t> read(char* out, std::size_t size) override {
    const std::size_t taken = std::min(size, rest_.size());
    if (taken > 0) std::memcpy(out, rest_.data(), taken);
    rest_.remove_prefix(taken);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return Errors(ErrorCode::FileUnreadable, "",
                  std::string("cannot be opened: ") + std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return Errors(ErrorCode::FileUnreadable, "", "is a directory, expected a file");
  }
  return std::make_unique<FileSource>(std::move(file));
}

std::unique_ptr<ByteSource> open_memory(std::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

}  // namespace vecc::graph_io
