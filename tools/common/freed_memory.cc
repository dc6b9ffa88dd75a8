#include "tools/common/freed_memory.h"

#include <cstdlib>  // defines __GLIBC__, if it is
#include <limits>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace vecc::tools {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMost = std::numeric_limits<int>::max();
  constexpr int kGrowth = 64 << 20;
  mallopt(M_MMAP_THRESHOLD, kMost);
  mallopt(M_TRIM_THRESHOLD, kMost);
  mallopt(M_TOP_PAD, kGrowth);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace vecc::tools
