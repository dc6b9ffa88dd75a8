#include "tools/import/ground/grounder.h"

namespace vecc::tools {

Compression compression_of(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::Gzip;
  if (path.ends_with(".zst")) return Compression::Zstd;
  return Compression::None;
}

}  // namespace vecc::tools
