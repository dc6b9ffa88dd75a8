#include "src/support/cache_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace vecc {
namespace {

std::string text_of_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Empty: none is known.
std::string root_folder() {
  if (std::string own = text_of_variable("VECC_CACHE_DIR"); !own.empty()) return own;
  if (std::string base = text_of_variable("XDG_CACHE_HOME"); !base.empty()) return base + "/vecc";
  if (std::string home = text_of_variable("HOME"); !home.empty()) return home + "/.cache/vecc";
  return {};
}

}  // namespace

Result<void> make_private_folder(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    return Errors(ErrorCode::CannotWrite, path, why + "; set VECC_CACHE_DIR to another folder");
  };
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return refuse(std::strerror(errno));
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return refuse(std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return refuse("is no folder");
  if (status.st_uid != ::geteuid()) return refuse("belongs to another user");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return refuse("others may write in it");
  return {};
}

Result<std::string> cache_folder(std::string_view part) {
  const std::string root = root_folder();
  if (root.empty()) {
    return Errors(ErrorCode::CannotWrite, "cache folder",
                  "none of VECC_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
  }
  std::error_code ignored;  // make_private_folder says what is wrong
  std::filesystem::create_directories(std::filesystem::path(root).parent_path(), ignored);
  VECC_TRY_VOID(make_private_folder(root));
  std::string folder = root + "/" + std::string(part);
  VECC_TRY_VOID(make_private_folder(folder));
  return folder;
}

std::string cache_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 100)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    name += plain ? c : '_';
  }
  return name;
}

}  // namespace vecc
