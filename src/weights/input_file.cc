#include "src/weights/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "src/support/whole_file.h"

namespace vecc::weights {
namespace {

constexpr std::uint64_t kReadPart = std::uint64_t{1} << 30;
constexpr std::size_t kPipeBlock = std::size_t{1} << 20;

Errors read_failure(const char* what) {
  return Errors(ErrorCode::FileUnreadable, "", std::string(what) + ": " + std::strerror(errno));
}

Errors too_large(const std::string& found, std::uint64_t max_bytes) {
  return Errors(ErrorCode::LimitBytes, "",
                "has " + found + " bytes, the limit is " + std::to_string(max_bytes));
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path, std::uint64_t max_bytes) {
  InputFile input;
  input.file_ = FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input.file_.is_open()) return read_failure("cannot be opened");
  struct stat status {};
  if (::fstat(input.file_.get(), &status) != 0) return read_failure("cannot be read");
  if (S_ISDIR(status.st_mode)) {
    return Errors(ErrorCode::FileUnreadable, "", "is a directory, expected a file");
  }
  if (!S_ISREG(status.st_mode)) {
    VECC_TRY_VOID(input.hold_pipe(max_bytes));
    return input;
  }
  input.size_ = static_cast<std::uint64_t>(status.st_size);
  if (input.size_ > max_bytes) return too_large(std::to_string(input.size_), max_bytes);
  return input;
}

Result<void> InputFile::hold_pipe(std::uint64_t max_bytes) {
  std::string block(kPipeBlock, '\0');
  while (true) {
    const ssize_t count = ::read(file_.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return read_failure("cannot be read");
    if (count == 0) break;
    held_.append(block, 0, static_cast<std::size_t>(count));
    if (held_.size() > max_bytes) return too_large("more", max_bytes);
    if (held_.size() > kMaxPipeBytes) return Errors(ErrorCode::LimitBytes, "", pipe_limit_text());
  }
  file_ = FileHandle();
  size_ = held_.size();
  return {};
}

Result<InputFile> InputFile::of_bytes(std::string_view bytes, std::uint64_t max_bytes) {
  if (bytes.size() > max_bytes) return too_large(std::to_string(bytes.size()), max_bytes);
  InputFile input;
  input.bytes_ = bytes;
  input.size_ = bytes.size();
  return input;
}

Result<void> InputFile::read(std::uint64_t offset, char* out, std::uint64_t count) const {
  VECC_CHECK(offset <= size_ && count <= size_ - offset, "a place inside the weight file");
  if (!file_.is_open()) {
    const std::string_view all = held_.empty() ? bytes_ : std::string_view(held_);
    if (count > 0) std::memcpy(out, all.data() + offset, count);
    return {};
  }
  while (count > 0) {
    const ssize_t got =
        ::pread(file_.get(), out, std::min(count, kReadPart), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return read_failure("cannot be read");
    if (got == 0) {
      return Errors(ErrorCode::FileTruncated, "",
                    "has become shorter than its " + std::to_string(size_) + " bytes");
    }
    out += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::uint64_t>(got);
  }
  return {};
}

Result<std::string> InputFile::read(std::uint64_t offset, std::uint64_t count) const {
  std::string bytes(count, '\0');
  VECC_TRY_VOID(read(offset, bytes.data(), count));
  return bytes;
}

}  // namespace vecc::weights
