// The texts are put together when the build is configured.
#include "src/emit/native/source_files.h"

namespace vecc::emit {

std::span<const SourceFile> native_files() {
  static constexpr SourceFile files[] = {
#include "native_files.inc"
  };
  return files;
}

}  // namespace vecc::emit
