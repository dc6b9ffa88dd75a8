// The texts are put together when the build is configured.
#include "src/emit/cpp/runtime_files.h"

namespace vecc::cpp {

std::span<const RuntimeFile> runtime_files() {
  static constexpr RuntimeFile files[] = {
#include "runtime_files.inc"
  };
  return files;
}

}  // namespace vecc::cpp
