#include "src/support/free_memory.h"

#include <cstdlib>  // defines __GLIBC__
#include <fstream>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace vecc {

void return_free_memory(std::uint64_t pieces) {
  constexpr std::uint64_t kMany = 1 << 17;
  if (pieces < kMany) return;
#ifdef __GLIBC__
  (void)malloc_trim(0);
#endif
}

std::uint64_t free_host_bytes() {
  std::ifstream lines("/proc/meminfo");
  std::string key;
  for (std::uint64_t kilobytes = 0; lines >> key >> kilobytes;) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    lines.ignore(64, '\n');
  }
  return 0;
}

}  // namespace vecc
