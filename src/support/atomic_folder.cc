#include "src/support/atomic_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "src/support/atomic_file.h"
#include "src/support/signals_blocked.h"
#include "src/support/temporary_folder.h"

namespace vecc {
namespace {

namespace fs = std::filesystem;

constexpr int kTemporaryFolders = 100;

/// The path itself, without a slash at the end and without symbolic links.
std::string resolve(const std::string& path) {
  std::error_code missing;
  const fs::path existing = fs::canonical(path, missing);
  if (!missing) return existing.string();
  fs::path plain(path);
  if (!plain.has_filename()) plain = plain.parent_path();
  return plain.string();
}

/// Sets errno if `path` is there and is no empty folder.
bool is_free(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return errno == ENOENT;
  if (!S_ISDIR(status.st_mode)) {
    errno = ENOTDIR;
    return false;
  }
  std::error_code failure;
  const bool empty = fs::is_empty(path, failure);
  errno = failure ? failure.value() : ENOTEMPTY;
  return empty && !failure;
}

}  // namespace

AtomicFolder::AtomicFolder(std::string target, std::string temporary)
    : target_(std::move(target)), temporary_(std::move(temporary)) {
  remember_folder(temporary_);
}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})) {}

AtomicFolder::~AtomicFolder() {
  if (temporary_.empty()) return;
  const int error = errno;
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
  forget_folder(temporary_);
  errno = error;
}

std::optional<AtomicFolder> AtomicFolder::create(const std::string& path) {
  std::string target = resolve(path);
  if (!is_free(target)) return std::nullopt;
  const SignalsBlocked until_it_is_remembered;
  for (int i = 0; i < kTemporaryFolders; ++i) {
    std::string temporary = target + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    if (::mkdir(temporary.c_str(), 0777) == 0) {
      return AtomicFolder(std::move(target), std::move(temporary));
    }
    if (errno != EEXIST) break;
  }
  return std::nullopt;
}

bool AtomicFolder::write(const std::string& name, std::string_view bytes) {
  std::optional<AtomicFile> file = AtomicFile::create(temporary_ + "/" + name);
  return file && file->write(bytes) && file->commit();
}

bool AtomicFolder::commit() {
  // An empty folder may be replaced by another folder.
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return false;
  forget_folder(temporary_);
  temporary_.clear();
  // So that the rename itself survives a power cut; not every file system can.
  const fs::path parent = fs::path(target_).parent_path();
  const int folder =
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return true;
  (void)::fsync(folder);
  ::close(folder);
  return true;
}

}  // namespace vecc
