// What the host's memory has free, and what was let go back to the system.
#pragma once

#include <cstdint>
#include <string>

namespace vecc {

/// After a stage that has let much memory go in small pieces (of `pieces` ops), before one that
/// asks for large ones, which those would not serve. Nothing where there are few pieces.
void return_free_memory(std::uint64_t pieces);

/// Bytes that this process may still take, and what says so.
struct HostRoom {
  std::uint64_t bytes = ~std::uint64_t{0};  ///< all ones: nothing does
  std::string limit;                        ///< `ulimit -v`, `memory.max of /sys/fs/cgroup`
};
/// The least of what may be had without others being swapped out, what is left of the process's
/// cgroup and of those that hold it (version 2 or 1), and what is left of its address space.
/// `root`: where /proc and /sys are.
[[nodiscard]] HostRoom host_room(const std::string& root = "");

/// Bytes of host_room(); 0 if the system does not say.
[[nodiscard]] std::uint64_t free_host_bytes();

/// Memory that the process holds, and its address space, in which a limit counts what is only
/// reserved, too (stacks of threads, heaps). 0: unknown.
struct ProcessMemory {
  std::uint64_t resident = 0;
  std::uint64_t address_space = 0;
};
/// The most of both so far.
[[nodiscard]] ProcessMemory process_peak();
/// Now.
[[nodiscard]] ProcessMemory process_memory();

}  // namespace vecc
