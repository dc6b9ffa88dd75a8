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

}  // namespace vecc
