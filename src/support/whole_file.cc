#include "src/support/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "src/support/atomic_file.h"
#include "src/support/file_handle.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 20;

Errors failure(ErrorCode code, const std::string& path, const std::string& what) {
  return Errors(code, escape_terminal(path, 4096), what + ": " + std::strerror(errno));
}

}  // namespace

std::string pipe_limit_text() {
  return "is no regular file and has more than " + std::to_string(kMaxPipeBytes) +
         " bytes, the limit of what is held in memory: write it to a file";
}

Result<std::string> read_whole_file(const std::string& path) {
  const FileHandle handle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (handle.get() < 0) return failure(ErrorCode::FileUnreadable, path, "cannot be read");
  struct stat status {};
  const bool is_regular = ::fstat(handle.get(), &status) == 0 && S_ISREG(status.st_mode);
  std::string bytes;
  std::string block(kReadBlock, '\0');
  while (true) {
    const ssize_t count = ::read(handle.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure(ErrorCode::FileUnreadable, path, "cannot be read");
    if (count == 0) return bytes;
    bytes.append(block, 0, static_cast<std::size_t>(count));
    if (!is_regular && bytes.size() > kMaxPipeBytes) {
      return Errors(ErrorCode::LimitBytes, escape_terminal(path, 4096), pipe_limit_text());
    }
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
