#include "tools/import/commands.h"

#include <cstdio>

namespace vecc::tools {

Compression compression_of(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::Gzip;
  if (path.ends_with(".zst")) return Compression::Zstd;
  return Compression::None;
}

ExitCode report(const Errors& errors) {
  std::fprintf(stderr, "%s\n", errors.text().c_str());
  return errors.exit_code();
}

}  // namespace vecc::tools
