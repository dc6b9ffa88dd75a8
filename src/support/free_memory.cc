#include "src/support/free_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>  // defines __GLIBC__
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace vecc {
namespace {

/// The number that a file consists of; none where it is another word (`max`) or no file.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// The number behind a word of a file of such pairs.
std::optional<std::uint64_t> number_behind(const std::string& path, std::string_view word) {
  std::ifstream lines(path);
  std::string key;
  while (lines >> key) {
    std::uint64_t number = 0;
    if (key == word && lines >> number) return number;
    lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

void take_less(HostRoom& room, std::uint64_t bytes, std::string limit) {
  if (bytes < room.bytes) room = {bytes, std::move(limit)};
}

std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

struct CgroupFiles {
  const char* folder;
  const char* limit;
  const char* used;
  const char* reclaimable;  ///< in memory.stat: pages of files that nothing reads any more
};
constexpr CgroupFiles kVersion2{"/sys/fs/cgroup", "/memory.max", "/memory.current",
                                "inactive_file"};
constexpr CgroupFiles kVersion1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                                "/memory.usage_in_bytes", "total_inactive_file"};

/// A cgroup and those that hold it: each may have a limit. In a container the path may name
/// folders that are not there; the root's files are the container's own then.
void take_cgroup(const CgroupFiles& files, const std::string& root, std::string path,
                 HostRoom& room) {
  for (;;) {
    const std::string folder = root + files.folder + path;
    const auto limit = number_in(folder + files.limit);
    const auto used = number_in(folder + files.used);
    if (limit && used) {
      const auto cached = number_behind(folder + "/memory.stat", files.reclaimable);
      take_less(room, left_of(*limit, left_of(*used, cached.value_or(0))),
                std::string(files.limit + 1) + " of " + folder);
    }
    if (path.empty()) return;
    path.resize(path.find_last_of('/'));
  }
}

void take_cgroups(const std::string& root, HostRoom& room) {
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {  // number:controllers:path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (!path.starts_with('/') || path == "/") path.clear();
    if (controllers.empty()) take_cgroup(kVersion2, root, path, room);
    if (controllers == "memory") take_cgroup(kVersion1, root, path, room);
  }
}

std::uint64_t address_space() {
  const auto pages = number_in("/proc/self/statm");  // its first number
  return pages.value_or(0) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void return_free_memory(std::uint64_t pieces) {
  constexpr std::uint64_t kMany = 1 << 17;
  if (pieces < kMany) return;
#ifdef __GLIBC__
  (void)malloc_trim(0);
#endif
}

HostRoom host_room(const std::string& root) {
  HostRoom room;
  if (const auto kilobytes = number_behind(root + "/proc/meminfo", "MemAvailable:")) {
    take_less(room, *kilobytes * 1024, "the machine's free memory");
  }
  take_cgroups(root, room);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    take_less(room, left_of(limit.rlim_cur, address_space()), "ulimit -v");
  }
  return room;
}

std::uint64_t free_host_bytes() {
  const HostRoom room = host_room();
  return room.limit.empty() ? 0 : room.bytes;
}

namespace {

ProcessMemory memory_behind(std::string_view resident, std::string_view address_space) {
  constexpr const char* kStatus = "/proc/self/status";
  return {number_behind(kStatus, resident).value_or(0) * 1024,
          number_behind(kStatus, address_space).value_or(0) * 1024};
}

}  // namespace

ProcessMemory process_peak() {
  return memory_behind("VmHWM:", "VmPeak:");
}

ProcessMemory process_memory() {
  return memory_behind("VmRSS:", "VmSize:");
}

}  // namespace vecc
