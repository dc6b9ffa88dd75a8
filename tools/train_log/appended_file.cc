#include "tools/train_log/appended_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "src/support/atomic_file.h"
#include "tools/common/data_sink.h"
#include "vecc/escape.h"

namespace vecc::tools {

Errors write_failure(const std::string& path, int error) {
  return {ErrorCode::CannotWrite, escape_terminal(path, 4096),
          "cannot write: " + std::generic_category().message(error)};
}

Result<AppendedFile> AppendedFile::open(const std::string& path) {
  FileHandle file(is_special_file(path)
                      ? open_special_file(path)
                      : ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_CREAT, 0666));
  if (!file.is_open()) return write_failure(path, errno);
  return AppendedFile(path, std::move(file));
}

Result<void> AppendedFile::append(std::string_view bytes) {
  struct stat before {};
  const bool can_undo = ::fstat(file_.get(), &before) == 0 && S_ISREG(before.st_mode);
  if (write_all(file_.get(), bytes)) return {};
  const int error = errno;
  if (can_undo) (void)!::ftruncate(file_.get(), before.st_size);
  return write_failure(path_, error);
}

}  // namespace vecc::tools
