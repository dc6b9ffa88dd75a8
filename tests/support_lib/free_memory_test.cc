// What the host's memory has free: of the machine, of cgroups, of an address space.
#include "src/support/free_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "src/support/temporary_folder.h"
#include "tests/support/sanitized.h"

namespace vecc {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

/// A folder with files of /proc and /sys.
class FakeHost {
 public:
  FakeHost() : folder_(TemporaryFolder::create("/tmp", "vecc-host").value()) {
    write("/proc/meminfo", "MemTotal:       100 kB\nMemAvailable:    2048 kB\nCached: 7 kB\n");
  }
  void write(const std::string& path, const std::string& text) const {
    const std::string full = folder_.path() + path;
    std::filesystem::create_directories(std::filesystem::path(full).parent_path());
    std::ofstream(full) << text;
  }
  [[nodiscard]] HostRoom room() const { return host_room(folder_.path()); }
  [[nodiscard]] const std::string& root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST(HostRoom, is_what_the_machine_has_free) {
  const FakeHost host;
  EXPECT_EQ(host.room().bytes, 2 * kMega);
  EXPECT_EQ(host.room().limit, "the machine's free memory");
}

TEST(HostRoom, is_the_least_of_nested_cgroups) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "0::/a/b\n");
  host.write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  host.write("/sys/fs/cgroup/a/b/memory.current", "5000\n");
  host.write("/sys/fs/cgroup/a/memory.max", "9000\n");
  host.write("/sys/fs/cgroup/a/memory.current", "6000\n");
  EXPECT_EQ(host.room().bytes, 3000u);
  EXPECT_EQ(host.room().limit, "memory.max of " + host.root() + "/sys/fs/cgroup/a");
  host.write("/sys/fs/cgroup/a/memory.stat", "anon 4000\ninactive_file 500\nactive_file 9\n");
  EXPECT_EQ(host.room().bytes, 3500u);
  host.write("/sys/fs/cgroup/a/memory.current", "10000\n");  // lowered below what is used
  EXPECT_EQ(host.room().bytes, 0u);
}

TEST(HostRoom, is_of_the_containers_root_where_the_path_is_not_there) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "0::/../outside\n");
  host.write("/sys/fs/cgroup/memory.max", "9000\n");
  host.write("/sys/fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(host.room().bytes, 8000u);
}

TEST(HostRoom, knows_version_1) {
  const FakeHost host;
  host.write("/proc/self/cgroup", "12:cpu,cpuacct:/x\n4:memory:/x\n1:name=systemd:/\n");
  host.write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9000\n");
  host.write("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "8000\n");
  host.write("/sys/fs/cgroup/memory/x/memory.stat", "total_inactive_file 100\n");
  host.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  host.write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "8500\n");
  EXPECT_EQ(host.room().bytes, 1100u);
  EXPECT_EQ(host.room().limit,
            "memory.limit_in_bytes of " + host.root() + "/sys/fs/cgroup/memory/x");
}

/// In a process of its own; its exit code.
int run_alone(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(HostRoom, is_what_is_left_of_the_address_space) {
  if (test::kSanitized) GTEST_SKIP() << "has terabytes of addresses";
  EXPECT_EQ(run_alone([] {
              const rlimit limit{process_peak().address_space + 64 * kMega, RLIM_INFINITY};
              if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
              const HostRoom before = host_room();
              if (before.limit != "ulimit -v" || before.bytes < 60 * kMega) return 2;
              const void* const taken = ::mmap(nullptr, 32 * kMega, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              if (taken == MAP_FAILED) return 3;
              return host_room().bytes + 32 * kMega == before.bytes ? 0 : 4;
            }),
            0);
}

TEST(ProcessMemory, grows_with_what_is_used) {
  const ProcessMemory before = process_peak();
  EXPECT_GT(before.resident, 0u);
  EXPECT_GT(before.address_space, before.resident);
  EXPECT_EQ(run_alone([&] {
              const std::string many(256 * kMega, 'x');
              const ProcessMemory after = process_peak();
              const bool is_larger = after.resident >= 256 * kMega &&
                                     after.address_space >= 256 * kMega && many.back() == 'x';
              return is_larger ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace vecc
