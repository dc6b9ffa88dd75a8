#include "tools/train_log/line_log.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "src/support/whole_file.h"
#include "tools/common/data_sink.h"
#include "tools/train_log/appended_file.h"
#include "tools/train_log/epoch_lines.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

class LineLog final : public EpochLog {
 public:
  LineLog(AppendedFile file, LineFormat format) : file_(std::move(file)), format_(format) {}
  Result<void> write(const EpochReport& report) override {
    return file_.append(line_of(format_, report));
  }

 private:
  AppendedFile file_;
  LineFormat format_;
};

// Leaves the header and the finished epochs: by one change of the file's length, for which the disk
// needs no room. Whether there is anything left.
Result<bool> cut_log(const std::string& path, LineFormat format, std::uint64_t finished_epochs) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) return false;
  std::ifstream file(path, std::ios::binary);
  if (!file) return write_failure(path, errno);
  const auto kept = bytes_to_keep(file, format, finished_epochs);
  if (!kept) return kept.error().in(escape_terminal(path, 4096));
  std::error_code failed;
  if (*kept < std::filesystem::file_size(path, failed) && !failed) {
    std::filesystem::resize_file(path, *kept, failed);
  }
  if (failed) return write_failure(path, failed.value());
  return *kept > 0;
}

}  // namespace

Result<std::unique_ptr<EpochLog>> open_line_log(const std::string& path, LineFormat format,
                                                std::optional<std::uint64_t> finished_epochs) {
  const std::string header = header_of(format);
  const bool is_special = is_special_file(path);
  bool goes_on = false;
  if (finished_epochs && !is_special) {
    VECC_TRY(goes_on, cut_log(path, format, *finished_epochs));
  }
  // An old log stays until the new one's header is there.
  if (!goes_on && !is_special) VECC_TRY_VOID(write_whole_file(path, header));
  VECC_TRY(AppendedFile file, AppendedFile::open(path));
  if (is_special) VECC_TRY_VOID(file.append(header));
  return std::unique_ptr<EpochLog>(std::make_unique<LineLog>(std::move(file), format));
}

}  // namespace vecc::tools
