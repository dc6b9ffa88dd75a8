// A file that appears whole or not at all.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace vecc {

/// Bytes go to a temporary file beside `path`; commit() syncs it and renames it to `path`. Without
/// commit() the temporary file is removed and an old file stays as it was. A symbolic link is
/// followed; an old file's mode is kept, a new one gets `mode` less the umask. A device or a pipe
/// stays what it is, and takes the bytes as they come. Failures are told by errno, so that every
/// caller words its own message.
class AtomicFile {
 public:
  /// None if no file can be made there.
  [[nodiscard]] static std::optional<AtomicFile> create(const std::string& path,
                                                        mode_t mode = 0666);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  [[nodiscard]] bool write(std::string_view bytes);
  /// Of what can be made again, and says itself whether it is whole, the disk need not have it yet.
  enum class Sync : bool { No, Yes };
  /// The bytes are on the disk, and commit() has only the rename left: of files that are to appear
  /// together. Nothing is written afterwards. After a failure the temporary file is gone.
  [[nodiscard]] bool seal(Sync sync = Sync::Yes);
  /// After a failure the temporary file is gone.
  [[nodiscard]] bool commit(Sync sync = Sync::Yes);

 private:
  AtomicFile(std::string target, std::string temporary, int file);
  void abandon();

  std::string target_;
  std::string temporary_;  ///< exists as long as this is not empty; empty: of a device
  int file_ = -1;
};

/// Of files that are written at a time, remove_temporary_files() knows the first so many.
inline constexpr std::size_t kMostRemembered = 256;

/// Removes the temporary files that exist now (kMostRemembered at most): for a signal handler
/// that ends the process. Calls only what is safe there.
void remove_temporary_files();

/// Writes all bytes to an open file, whatever signals arrive; false if it fails (errno tells).
[[nodiscard]] bool write_all(int file, std::string_view bytes);

}  // namespace vecc
