// Memory that is a file's: the system writes its pages back and drops them where memory is short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "vecc/error.h"

namespace vecc {

/// Where such files are.
struct FileFolder {
  std::string path;
  bool is_memory = false;  ///< a tmpfs or ramfs: pages of its files are memory, too
};

/// `asked`, which must be there; if it is empty, `tables` in the cache folder. Errors: CannotWrite.
[[nodiscard]] Result<FileFolder> find_file_folder(const std::string& asked);

/// Zeros, readable and writable, of a new file that no other process sees: it has no name, and goes
/// with the memory, or with the process if that is killed. Its blocks are reserved before it is
/// mapped: a full disk is an error here, never a signal where a page is written. Errors:
/// OutOfMemory (the disk, its quota, the limit of a file's size, addresses: what is needed, what is
/// free), CannotWrite.
[[nodiscard]] Result<std::shared_ptr<std::byte>> map_new_file(const std::string& folder,
                                                              std::uint64_t bytes);

/// What map_new_file() does first; `allocate`: a stand-in for fallocate(file, 0, 0, bytes), which
/// some file systems have not: zeros are then written. -1 and errno, or 0.
[[nodiscard]] int reserve_blocks(int file, std::uint64_t bytes,
                                 int (*allocate)(int file, std::uint64_t bytes));

}  // namespace vecc
