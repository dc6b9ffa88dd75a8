#include "src/support/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "src/support/path_slots.h"
#include "src/support/signals_blocked.h"

namespace vecc {
namespace {

constexpr std::size_t kWriteBlock = std::size_t{1} << 20;
constexpr int kTemporaryNames = 100;

/// A new file beside `path`; -1 if there is none to be had. Not mkstemp: the file gets the
/// permissions that the user's umask says.
int open_temporary(const std::string& path, mode_t mode, std::string& temporary) {
  for (int i = 0; i < kTemporaryNames; ++i) {
    temporary = path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

PathSlots<kMostRemembered> temporary_files;

/// So that the rename itself survives a power cut. Not every file system can; that is no failure.
void sync_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int file =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  (void)::fsync(file);
  ::close(file);
}

}  // namespace

void remove_temporary_files() {
  temporary_files.each([](const char* path) { ::unlink(path); });
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), std::min(bytes.size(), kWriteBlock));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

AtomicFile::AtomicFile(std::string target, std::string temporary, int file)
    : target_(std::move(target)), temporary_(std::move(temporary)), file_(file) {
  if (!temporary_.empty()) temporary_files.remember(temporary_);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::exchange(other.file_, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this == &other) return *this;
  abandon();
  target_ = std::move(other.target_);
  temporary_ = std::exchange(other.temporary_, {});
  file_ = std::exchange(other.file_, -1);
  return *this;
}

AtomicFile::~AtomicFile() {
  abandon();
}

std::optional<AtomicFile> AtomicFile::create(const std::string& path, mode_t mode) {
  std::error_code missing;
  const auto resolved = std::filesystem::canonical(path, missing);
  std::string target = missing ? path : resolved.string();
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  // A rename would put a file in place of a device or a pipe: /dev/null, where the user may write
  // to its folder.
  const bool is_stream = exists && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode);
  std::string temporary;
  // A pipe's open waits for its reader, and must end on a signal.
  std::optional<SignalsBlocked> until_it_is_remembered;
  if (!is_stream) until_it_is_remembered.emplace();
  const int file = is_stream ? ::open(target.c_str(), O_WRONLY | O_CLOEXEC)
                             : open_temporary(target, mode, temporary);
  if (file < 0) return std::nullopt;
  AtomicFile result(std::move(target), std::move(temporary), file);
  if (exists && !is_stream && ::fchmod(file, old.st_mode & 07777) != 0) return std::nullopt;
  return result;
}

bool AtomicFile::write(std::string_view bytes) {
  return write_all(file_, bytes);
}

bool AtomicFile::seal(Sync sync) {
  if (temporary_.empty() || file_ < 0) return file_ >= 0;
  // Network file systems report a full disk only when the file is closed.
  const bool is_whole =
      (sync == Sync::No || ::fsync(file_) == 0) && ::close(std::exchange(file_, -1)) == 0;
  if (!is_whole) abandon();
  return is_whole;
}

bool AtomicFile::commit(Sync sync) {
  if (temporary_.empty()) return ::close(std::exchange(file_, -1)) == 0;
  if (file_ >= 0 && !seal(sync)) return false;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    abandon();
    return false;
  }
  temporary_files.forget(temporary_);
  temporary_.clear();
  if (sync == Sync::Yes) sync_folder(target_);
  return true;
}

void AtomicFile::abandon() {
  const int error = errno;
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    temporary_files.forget(temporary_);
  }
  temporary_.clear();
  errno = error;
}

}  // namespace vecc
