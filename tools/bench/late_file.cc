#include "commands.h"

namespace vecc::tools {

Result<LateFile> LateFile::open(const std::string& path) {
  LateFile file;
  if (!path.empty()) {
    VECC_TRY(file.sink_, DataSink::open(path));
  }
  return file;
}

Result<void> LateFile::write(std::string_view text) {
  if (!sink_) return {};
  sink_->write(text);
  return sink_->finish();
}

}  // namespace vecc::tools
