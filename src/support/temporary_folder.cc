#include "src/support/temporary_folder.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "src/support/path_slots.h"
#include "src/support/signals_blocked.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

constexpr int kDeepest = 8;

PathSlots<8> temporary_folders;

// What getdents64() writes; the name ends with a NUL.
struct FolderEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

// Without memory of its own, as opendir() has.
void remove_tree(int parent, const char* name, int depth);

// Whether any entry of an open folder went away.
bool remove_entries(int folder, int depth) {
  alignas(FolderEntry) char block[2048];
  bool has_removed = false;
  ::lseek(folder, 0, SEEK_SET);
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder, block, sizeof block);
    if (bytes <= 0) return has_removed;
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const FolderEntry*>(block + at);
      at += entry->size;
      const char* name = entry->name;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      if (::unlinkat(folder, name, 0) == 0) {
        has_removed = true;
      } else if (errno == EISDIR && depth > 0) {
        remove_tree(folder, name, depth - 1);
      }
    }
  }
}

void remove_tree(int parent, const char* name, int depth) {
  constexpr int kTries = 100;
  constexpr timespec kPause{0, 2'000'000};
  for (int i = 0; i < kTries; ++i) {
    const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    while (remove_entries(folder, depth)) continue;
    ::close(folder);
    if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno != ENOTEMPTY) return;
    ::nanosleep(&kPause, nullptr);  // what was killed a moment ago may still write
  }
}

}  // namespace

void remember_folder(const std::string& path) {
  temporary_folders.remember(path);
}
void forget_folder(const std::string& path) {
  temporary_folders.forget(path);
}

void remove_temporary_folders() {
  temporary_folders.each([](const char* path) { remove_tree(AT_FDCWD, path, kDeepest); });
}

Result<TemporaryFolder> TemporaryFolder::create(const std::string& parent,
                                                std::string_view program) {
  std::string path = parent + "/" + std::string(program) + "-XXXXXX";
  const SignalsBlocked until_it_is_remembered;
  if (::mkdtemp(path.data()) == nullptr) {
    return Errors(ErrorCode::CannotWrite, escape_terminal(parent, 4096),
                  std::string("cannot make a folder: ") + std::strerror(errno));
  }
  remember_folder(path);
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what cannot be removed stays in the system's temporary folder
  if (path_.empty()) return;
  std::filesystem::remove_all(path_, ignored);
  forget_folder(path_);
}

}  // namespace vecc
