#include "src/support/mapped_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "src/support/cache_folder.h"
#include "src/support/file_handle.h"
#include "src/support/quantity_text.h"
#include "src/support/signals_blocked.h"

namespace vecc {
namespace {

// -1 and errno, or a file without a name.
int open_unnamed(const std::string& folder) {
  constexpr mode_t kOwn = 0600;
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, kOwn);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string path = folder + "/.vecc-table-XXXXXX";
  const SignalsBlocked until_it_has_no_name;
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

int write_zeros(int file, std::uint64_t bytes) {
  const std::vector<char> zeros(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 20));
  for (std::uint64_t written = 0; written < bytes;) {
    const std::uint64_t count = std::min<std::uint64_t>(zeros.size(), bytes - written);
    const ssize_t more = ::pwrite(file, zeros.data(), count, static_cast<off_t>(written));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    written += static_cast<std::uint64_t>(more);
  }
  return 0;
}

int allocate_blocks(int file, std::uint64_t bytes) {
  return ::fallocate(file, 0, 0, static_cast<off_t>(bytes));
}

// A file that is larger would end a process that does not ignore the signal.
bool is_below_limit(std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  return bytes <= limit.rlim_cur;
}

// None: the system does not say.
std::optional<std::uint64_t> free_bytes(const std::string& folder) {
  struct statfs disk {};
  if (::statfs(folder.c_str(), &disk) != 0 || disk.f_blocks == 0) return std::nullopt;
  return std::uint64_t{disk.f_bavail} * static_cast<std::uint64_t>(disk.f_bsize);
}

Errors cannot_reserve(const std::string& folder, std::uint64_t bytes, int reason) {
  const auto refuse = [&](ErrorCode code, const std::string& why) {
    return Errors(code, folder, "needs a file of " + text_of_bytes(bytes) + " for tables, " + why);
  };
  if (reason == EFBIG) {
    return refuse(ErrorCode::OutOfMemory, "which is more than a file may have (ulimit -f)");
  }
  if (reason != ENOSPC && reason != EDQUOT) {
    return refuse(ErrorCode::CannotWrite, std::strerror(reason));
  }
  const auto free = free_bytes(folder);
  return refuse(
      ErrorCode::OutOfMemory,
      (reason == EDQUOT ? "which is more than the quota has left" : "the disk is too full") +
          (free ? "; free there are " + text_of_bytes(*free) : std::string()) +
          "; --place-folder names another folder");
}

}  // namespace

Result<FileFolder> find_file_folder(const std::string& asked) {
  FileFolder folder{asked};
  if (asked.empty()) {
    VECC_TRY(folder.path, cache_folder("tables"));
  }
  struct stat status {};
  struct statfs system {};
  const auto refuse = [&](const char* why) {
    return Errors(ErrorCode::CannotWrite, folder.path, why);
  };
  if (::stat(folder.path.c_str(), &status) != 0) return refuse(std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return refuse("is no folder");
  if (::statfs(folder.path.c_str(), &system) != 0) return refuse(std::strerror(errno));
  const auto type = static_cast<std::uint64_t>(system.f_type);
  folder.is_memory = type == TMPFS_MAGIC || type == RAMFS_MAGIC;
  return folder;
}

int reserve_blocks(int file, std::uint64_t bytes, int (*allocate)(int file, std::uint64_t bytes)) {
  int done = -1;
  do {
    done = allocate(file, bytes);
  } while (done != 0 && errno == EINTR);
  if (done == 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)) return done;
  return write_zeros(file, bytes);
}

Result<std::shared_ptr<std::byte>> map_new_file(const std::string& folder, std::uint64_t bytes) {
  if (bytes == 0) return std::shared_ptr<std::byte>();
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
  if (bytes > kMost || !is_below_limit(bytes)) return cannot_reserve(folder, bytes, EFBIG);
  // Some file systems fill the disk before they say that it is too small.
  if (bytes > free_bytes(folder).value_or(bytes)) return cannot_reserve(folder, bytes, ENOSPC);
  const FileHandle file(open_unnamed(folder));
  if (file.get() < 0) {
    return Errors(ErrorCode::CannotWrite, folder, std::string("no file: ") + std::strerror(errno));
  }
  if (reserve_blocks(file.get(), bytes, allocate_blocks) != 0) {
    return cannot_reserve(folder, bytes, errno);
  }
  void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (pages == MAP_FAILED && errno == ENOMEM) {
    return Errors(ErrorCode::OutOfMemory, folder,
                  "no addresses for a file of " + text_of_bytes(bytes) + " of tables (ulimit -v)");
  }
  if (pages == MAP_FAILED) return cannot_reserve(folder, bytes, errno);
  return std::shared_ptr<std::byte>(static_cast<std::byte*>(pages),
                                    [bytes](std::byte* p) { ::munmap(p, bytes); });
}

}  // namespace vecc
