#include "src/support/free_memory.h"

#include <cstdlib>  // defines __GLIBC__
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

}  // namespace vecc
