// A folder that goes with its owner.
#pragma once

#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc {

class TemporaryFolder {
 public:
  /// A new folder, only for this user, in `parent`; `program` begins its name. Error: CannotWrite.
  [[nodiscard]] static Result<TemporaryFolder> create(const std::string& parent,
                                                      std::string_view program);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  /// Removes it with all it holds.
  ~TemporaryFolder();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty: moved from
};

/// Notes a folder that remove_temporary_folders() removes until forget_folder(); of those that
/// exist at a time the first eight.
void remember_folder(const std::string& path);
void forget_folder(const std::string& path);
/// Removes the temporary folders that exist now with all they hold, so far as others let it: for a
/// signal handler that ends the process. Calls only what is safe there.
void remove_temporary_folders();

}  // namespace vecc
