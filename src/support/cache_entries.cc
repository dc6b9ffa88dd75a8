#include "src/support/cache_entries.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <vector>

namespace vecc {
namespace {

namespace fs = std::filesystem;

constexpr time_t kStaleSeconds = 3600;  // older temporary files were left by a crash

struct CacheFile {
  std::string path;
  std::uint64_t bytes = 0;
  timespec used{};
};

bool is_older(const CacheFile& a, const CacheFile& b) {
  if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
  if (a.used.tv_nsec != b.used.tv_nsec) return a.used.tv_nsec < b.used.tv_nsec;
  return a.path < b.path;
}

}  // namespace

int open_own_entry(const std::string& path) {
  // Not through a link, and not waiting for a pipe's other end.
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
      (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
    return file;
  }
  ::close(file);
  errno = EPERM;
  return -1;
}

void touch_entry(int file) {
  (void)::futimens(file, nullptr);
}

void trim_entries(const std::string& folder, std::span<const std::string_view> endings,
                  std::uint64_t max_bytes, const std::unordered_set<std::string>& kept) {
  std::vector<CacheFile> files;
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename();
    struct stat status {};
    if (::lstat(i->path().c_str(), &status) != 0) continue;
    const bool is_entry = std::ranges::any_of(
        endings, [&](std::string_view ending) { return name.ends_with(ending); });
    if (!is_entry) {
      if (status.st_mtim.tv_sec < ::time(nullptr) - kStaleSeconds) ::unlink(i->path().c_str());
      continue;
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    bytes += size;
    if (!kept.contains(name)) files.push_back({i->path(), size, status.st_mtim});
  }
  std::sort(files.begin(), files.end(), is_older);
  for (const CacheFile& file : files) {
    if (bytes <= max_bytes) return;
    ::unlink(file.path.c_str());
    bytes -= file.bytes;
  }
}

}  // namespace vecc
