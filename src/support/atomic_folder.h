// A folder that appears with all of its files or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vecc {

/// Files go to a temporary folder beside `path`, which must not exist or be an empty folder;
/// commit() renames it to `path`. Without commit() nothing is left behind. Failures are told by
/// errno.
class AtomicFolder {
 public:
  /// None if there can be no such folder: ENOTEMPTY, ENOTDIR, EACCES, ...
  [[nodiscard]] static std::optional<AtomicFolder> create(const std::string& path);
  AtomicFolder(AtomicFolder&& other) noexcept;
  AtomicFolder& operator=(AtomicFolder&& other) = delete;
  ~AtomicFolder();

  /// The temporary folder, for files that something else writes there.
  [[nodiscard]] const std::string& path() const { return temporary_; }
  /// A file in it, synced.
  [[nodiscard]] bool write(const std::string& name, std::string_view bytes);
  [[nodiscard]] bool commit();

 private:
  AtomicFolder(std::string target, std::string temporary);

  std::string target_;
  std::string temporary_;  ///< exists as long as this is not empty
};

}  // namespace vecc
