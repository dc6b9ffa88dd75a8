#include "src/support/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "vecc/escape.h"

namespace vecc {

Result<TemporaryFolder> TemporaryFolder::create(const std::string& parent,
                                                std::string_view program) {
  std::string path = parent + "/" + std::string(program) + "-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return Errors(ErrorCode::CannotWrite, escape_terminal(parent, 4096),
                  std::string("cannot make a folder: ") + std::strerror(errno));
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what cannot be removed stays in the system's temporary folder
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace vecc
